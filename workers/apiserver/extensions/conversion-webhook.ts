import type { KubeObject } from "../../apimachinery/meta.ts";
import type { StatusError } from "../../apimachinery/status-errors.ts";
import { newInternalError } from "../../apimachinery/status-errors.ts";
import { deepEqual } from "../../apimachinery/deep-equal.ts";
import type { CustomResourceDefinition } from "./definition.ts";

/** As upstream's webhook client. */
const timeoutMilliseconds = 30_000;

/**
 * Objects in another version, by the definition's webhook (ConversionReview v1). Objects that are in that version already do not
 * travel. A `service` cannot be reached from here, and a `caBundle` cannot be given to fetch: a url has to have a certificate
 * that the platform trusts. Throws the Status that upstream answers with when a webhook fails.
 * Mirrors pkg/apiserver/conversion/webhook_converter.go of k8s.io/apiextensions-apiserver (1.36).
 */
export async function convertThroughWebhook(
  definition: CustomResourceDefinition,
  objects: KubeObject[],
  version: string,
): Promise<KubeObject[]> {
  const { group, names, conversion } = definition.spec;
  const desiredAPIVersion = `${group}/${version}`;
  const sent = objects.filter((object) => object.apiVersion !== desiredAPIVersion);
  if (sent.length === 0) return objects;
  const from = sent[0]!.apiVersion ?? "";
  const fail = (reason: string) =>
    newInternalError(`conversion webhook for ${from}, Kind=${names.kind} failed: ${reason}`);
  const client = conversion?.webhook?.clientConfig;
  if (client?.url === undefined) {
    const { namespace = "", name = "" } = client?.service ?? {};
    throw fail(
      `service "${name}.${namespace}.svc" cannot be reached: Services have no network address outside of the simulated cluster network; use clientConfig.url`,
    );
  }
  const uid = crypto.randomUUID();
  const reviewVersion =
    conversion?.webhook?.conversionReviewVersions?.find((each) => each === "v1" || each === "v1beta1") ?? "v1";
  const review = {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${reviewVersion}`,
    request: { uid, desiredAPIVersion, objects: sent },
  };
  const answer = await post(client.url, review, fail);
  const response = answer.response;
  if (response === undefined || response === null) throw fail("expected response field in ConversionReview");
  if (response.uid !== uid)
    throw fail(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`);
  if (response.result?.status !== "Success") throw fail(response.result?.message || "<unknown>");
  const converted = (response.convertedObjects ?? []) as KubeObject[];
  if (converted.length !== sent.length) {
    throw fail(`webhook returned ${converted.length} objects, expected ${sent.length}`);
  }
  const results = new Map(
    sent.map((original, index) => [original, checked(original, converted[index]!, desiredAPIVersion, fail)]),
  );
  return objects.map((object) => results.get(object) ?? object);
}

async function post(url: string, review: object, fail: (reason: string) => StatusError): Promise<{ response?: any }> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(review),
      signal: AbortSignal.timeout(timeoutMilliseconds),
      redirect: "manual",
    });
  } catch (error) {
    throw fail(`Post ${JSON.stringify(url)}: ${(error as Error).message}`);
  }
  if (response.status !== 200)
    throw fail(`Post ${JSON.stringify(url)}: the server answered with status ${response.status}`);
  try {
    return await response.json<{ response?: any }>();
  } catch {
    throw fail("the answer is not a ConversionReview");
  }
}

/** A webhook may change everything but what identifies an object; of metadata only labels and annotations. */
function checked(
  original: KubeObject,
  converted: KubeObject,
  apiVersion: string,
  fail: (reason: string) => StatusError,
): KubeObject {
  const refuse = (reason: string) => fail(`invalid converted object: ${reason}`);
  if (converted.apiVersion !== apiVersion)
    throw refuse(`expected apiVersion ${apiVersion}, got ${converted.apiVersion ?? ""}`);
  if (converted.kind !== original.kind) throw refuse(`expected kind ${original.kind}, got ${converted.kind ?? ""}`);
  const { labels, annotations, ...identity } = converted.metadata ?? {};
  for (const field of ["name", "namespace", "uid"] as const) {
    if (!deepEqual(identity[field], original.metadata[field]))
      throw refuse(`must have the same ${field}: ${original.metadata[field]} != ${identity[field]}`);
  }
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata;
  return {
    ...converted,
    metadata: {
      ...kept,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}
