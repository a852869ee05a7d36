import { afterEach, describe, expect, test, vi } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { convertThroughWebhook } from "./conversion-webhook.ts";
import type { CustomResourceDefinition } from "./definition.ts";

const definition = {
  metadata: { name: "knobs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "knobs", kind: "Knob" },
    versions: [],
    conversion: {
      strategy: "Webhook",
      webhook: { clientConfig: { url: "https://hooks.example.com/convert" }, conversionReviewVersions: ["v2", "v1"] },
    },
  },
} as unknown as CustomResourceDefinition;

const knob = (name: string, version: string): KubeObject => ({
  apiVersion: `example.com/${version}`,
  kind: "Knob",
  metadata: { name, uid: `uid-${name}`, resourceVersion: "7", labels: { a: "b" } },
  spec: { value: 1 },
});

type Answer = (review: any) => any;

/** Stands in for the webhook; the result collects what it was sent. */
function answerWith(answer: Answer): any[] {
  const reviews: any[] = [];
  vi.stubGlobal("fetch", async (_url: string, init: { body: string }) => {
    const review = JSON.parse(init.body);
    reviews.push(review);
    return Response.json(answer(review));
  });
  return reviews;
}

const converting: Answer = ({ request }) => ({
  response: {
    uid: request.uid,
    result: { status: "Success" },
    convertedObjects: request.objects.map((object: any) => ({
      ...object,
      apiVersion: request.desiredAPIVersion,
      spec: { level: object.spec.value },
    })),
  },
});

afterEach(() => vi.unstubAllGlobals());

describe("a conversion webhook", () => {
  test("gets the objects of other versions, and its answer keeps their identity", async () => {
    const reviews = answerWith((review) => {
      const answer = converting(review);
      for (const object of answer.response.convertedObjects)
        object.metadata = { ...object.metadata, resourceVersion: "999", labels: { c: "d" } };
      return answer;
    });
    const converted = await convertThroughWebhook(definition, [knob("a", "v1"), knob("b", "v2")], "v2");
    expect(reviews).toHaveLength(1);
    expect(reviews[0]).toMatchObject({
      kind: "ConversionReview",
      apiVersion: "apiextensions.k8s.io/v1",
      request: { desiredAPIVersion: "example.com/v2", objects: [{ metadata: { name: "a" } }] },
    });
    expect(converted[0]).toMatchObject({
      apiVersion: "example.com/v2",
      metadata: { name: "a", uid: "uid-a", resourceVersion: "7", labels: { c: "d" } },
      spec: { level: 1 },
    });
    expect(converted[1]).toEqual(knob("b", "v2"));
  });

  test("is not called when nothing is to be converted", async () => {
    const reviews = answerWith(converting);
    await convertThroughWebhook(definition, [knob("a", "v2")], "v2");
    expect(reviews).toEqual([]);
  });

  test.each<[string, Answer, string]>([
    [
      "that fails says why",
      ({ request }) => ({ response: { uid: request.uid, result: { status: "Failure", message: "no such knob" } } }),
      "no such knob",
    ],
    ["without a response", () => ({}), "expected response field in ConversionReview"],
    [
      "that answers another request",
      () => ({ response: { uid: "x", result: { status: "Success" } } }),
      "expected response.uid=",
    ],
    [
      "that loses objects",
      ({ request }) => ({ response: { uid: request.uid, result: { status: "Success" }, convertedObjects: [] } }),
      "webhook returned 0 objects, expected 1",
    ],
    [
      "that renames objects",
      (review) => {
        const answer = converting(review);
        answer.response.convertedObjects[0].metadata.name = "other";
        return answer;
      },
      "invalid converted object: must have the same name: a != other",
    ],
  ])("%s", async (_name, answer, reason) => {
    answerWith(answer);
    await expect(convertThroughWebhook(definition, [knob("a", "v1")], "v2")).rejects.toMatchObject({
      status: {
        code: 500,
        message: expect.stringContaining(`conversion webhook for example.com/v1, Kind=Knob failed: ${reason}`),
      },
    });
  });
});
