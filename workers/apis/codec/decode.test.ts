import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StatusError } from "../../apimachinery/status-errors.ts";
import { decodeObject, type FieldValidation } from "./decode.ts";
import { countMembers, duplicateMembers, measureJson } from "./json-scan.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const podKind = { group: "", version: "v1", kind: "Pod" };
const deploymentKind = { group: "apps", version: "v1", kind: "Deployment" };

function decode(
  text: string,
  fieldValidation: FieldValidation = "Strict",
  expected = podKind,
  type = "application/json",
) {
  return decodeObject(bytes(text), type, expected, { fieldValidation });
}

function message(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 400) return error.status.message ?? "";
    throw error;
  }
  throw new Error("no error");
}

const pod = (spec: string) => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":${spec}}`;
const container = (fields: string) => pod(`{"containers":[{"name":"c",${fields}}]}`);

describe("form of decoded objects", () => {
  test("empty optional fields vanish, structs and required fields appear", () => {
    const { object, gvk } = decode(
      `{"metadata":{"name":"a","labels":{},"creationTimestamp":null,"finalizers":[]},
        "spec":{"hostname":"","hostNetwork":false,"containers":[{"image":"x"}],"volumes":null}}`,
    );
    expect(gvk).toEqual(podKind);
    expect(JSON.stringify(object)).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":[{"image":"x","name":"","resources":{}}]},"status":{}}',
    );
  });

  test("pointers keep their zeros, scalars lose them", () => {
    const { object } = decode(pod('{"terminationGracePeriodSeconds":0,"priority":0,"hostPID":false,"containers":[]}'));
    expect(object.spec).toEqual({ terminationGracePeriodSeconds: 0, priority: 0, containers: [] });
  });

  test("deployments have strategy, template and resources", () => {
    const { object } = decode('{"spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}}', "Strict", deploymentKind);
    expect(object).toEqual({
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: {},
      spec: {
        // A pointer without omitempty: null until validation refuses it.
        selector: null,
        strategy: {},
        template: { metadata: {}, spec: { containers: [{ name: "c", resources: {} }] } },
      },
      status: {},
    });
  });

  test.each([
    ["0.5", "500m"],
    ['"1000m"', "1"],
    ['"1024Mi"', "1Gi"],
    ['"100m"', "100m"],
    ["2", "2"],
    ["null", "0"],
  ])("quantity %s is %s", (given, expected) => {
    const { object } = decode(container(`"resources":{"limits":{"cpu":${given}}}`));
    expect(object.spec.containers[0].resources.limits.cpu).toBe(expected);
  });

  test("times are whole seconds of UTC", () => {
    const { object } = decode('{"metadata":{"deletionTimestamp":"2024-03-01T00:30:00.75+01:00"}}');
    expect(object.metadata.deletionTimestamp).toBe("2024-02-29T23:30:00Z");
  });

  test("events show the times they do not have", () => {
    const { object } = decode("{}", "Strict", { group: "", version: "v1", kind: "Event" });
    expect(object).toMatchObject({ firstTimestamp: null, lastTimestamp: null, eventTime: null, source: {} });
  });

  test("a custom resource is kept but for unknown metadata", () => {
    const { object, warnings } = decode(
      '{"apiVersion":"x.io/v1","kind":"Foo","metadata":{"name":"a","bogus":1},"spec":{"empty":"","list":[]}}',
      "Warn",
      { group: "x.io", version: "v1", kind: "Foo" },
    );
    expect(object).toEqual({
      apiVersion: "x.io/v1",
      kind: "Foo",
      metadata: { name: "a" },
      spec: { empty: "", list: [] },
    });
    expect(warnings).toEqual(['unknown field "metadata.bogus"']);
  });

  test("members named like Object's are data", () => {
    const { object } = decode('{"data":{"__proto__":"a","constructor":"b"}}', "Strict", {
      group: "",
      version: "v1",
      kind: "ConfigMap",
    });
    expect(JSON.stringify(object["data"])).toBe('{"__proto__":"a","constructor":"b"}');
  });
});

describe("field validation", () => {
  const text =
    '{"metadata":{"name":"a","name":"b","labels":{"x":"1","x":"2"}},"foo":{"a":1,"a":2},"spec":{"bar":1,"containers":[{"name":"c","imagePullpolicy":"x","image":"1","image":"2"}]}}';
  const problems = [
    'unknown field "foo"',
    'unknown field "spec.bar"',
    'unknown field "spec.containers[0].imagePullpolicy"',
    'duplicate field "metadata.name"',
    'duplicate field "metadata.labels.x"',
    'duplicate field "spec.containers[0].image"',
  ];
  test("Strict refuses", () => {
    expect(message(() => decode(text))).toBe(
      `Pod in version "v1" cannot be handled as a Pod: strict decoding error: ${problems.join(", ")}`,
    );
  });
  test("Warn warns, and the last one wins", () => {
    const { object, warnings } = decode(text, "Warn");
    expect(warnings).toEqual(problems);
    expect(object.metadata.name).toBe("b");
    expect(object.spec.bar).toBeUndefined();
  });
  test("Ignore is silent", () => {
    const { object, warnings } = decode(text, "Ignore");
    expect(warnings).toEqual([]);
    expect(object["foo"]).toBeUndefined();
  });
});

describe("errors", () => {
  test.each<[string, string]>([
    [
      container('"env":[{"name":"A","value":1}]'),
      "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string",
    ],
    [
      pod('{"activeDeadlineSeconds":"x"}'),
      "json: cannot unmarshal string into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64",
    ],
    [
      pod('{"priority":1.5}'),
      "json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32",
    ],
    [
      pod('{"priority":3000000000}'),
      "json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32",
    ],
    [
      pod('{"containers":{}}'),
      "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
    ],
    [
      pod('{"containers":["x"]}'),
      "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container",
    ],
    [
      '{"metadata":{"labels":{"a":true}}}',
      "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      container('"resources":{"limits":{"cpu":"x"}}'),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":{"creationTimestamp":"yesterday"}}',
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      '{"metadata":{"creationTimestamp":"2024-13-01T00:00:00Z"}}',
      'parsing time "2024-13-01T00:00:00Z": month out of range',
    ],
    ['{"kind":"Service","apiVersion":"v1"}', "converting (v1.Service) to (core.Pod): unknown conversion"],
    [
      '{"kind":"Foo","apiVersion":"v1"}',
      'no kind "Foo" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
  ])("%s", (text, expected) => {
    const kind = /"kind":"(\w+)"/.exec(text)?.[1] ?? "Pod";
    expect(message(() => decode(text))).toBe(`${kind} in version "v1" cannot be handled as a Pod: ${expected}`);
  });

  test.each<[string, string]>([
    ["", "unexpected end of JSON input (<empty>)"],
    ["{", "unexpected end of JSON input ({)"],
    ['{"a":1,}', `invalid character '}' looking for beginning of object key string ({"a":1,})`],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string ({'a':1})"],
    ['{"a" 1}', `invalid character '1' after object key ({"a" 1})`],
    ['{"a":tru}', `invalid character '}' in literal true (expecting 'e') ({"a":tru})`],
    ['{"a":1}x', `invalid character 'x' after top-level value ({"a":1}x)`],
    ['{"a":[1 2]}', `invalid character '2' after array element ({"a":[1 2]})`],
    [
      `{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`,
      `unexpected end of JSON input ({"aaaaaaaaaaaaaaaaaaaaaaaaaaaa ...)`,
    ],
    ["<html>", "invalid character '<' looking for beginning of value (3c68746d6c3e)"],
  ])("syntax of %s", (text, expected) => {
    expect(message(() => decode(text))).toBe(
      `the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: ${expected}`,
    );
  });

  test("nesting is limited", () => {
    const deep = '{"a":'.repeat(200_000);
    expect(message(() => decode(deep))).toContain("exceeded max depth");
  });

  test("another version of the group", () => {
    const expected = { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler" };
    const text = '{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}';
    expect(message(() => decode(text, "Strict", expected))).toBe(
      "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)",
    );
  });

  test("a custom resource may be of another kind, not of another version", () => {
    const expected = { group: "x.io", version: "v1", kind: "Foo" };
    expect(decode('{"apiVersion":"x.io/v1","kind":"Bar"}', "Strict", expected).gvk.kind).toBe("Bar");
    expect(message(() => decode('{"apiVersion":"v1","kind":"Pod"}', "Strict", expected))).toBe(
      "the API version in the data (v1) does not match the expected API version (x.io/v1)",
    );
  });

  test("options come in any version", () => {
    const { object } = decode(
      '{"kind":"DeleteOptions","apiVersion":"apps/v1","propagationPolicy":"Orphan"}',
      "Strict",
      {
        group: "",
        version: "v1",
        kind: "DeleteOptions",
      },
    );
    expect(object["propagationPolicy"]).toBe("Orphan");
  });

  test("another media type is a 415", () => {
    try {
      decode("{}", "Strict", podKind, "text/plain");
      throw new Error("no error");
    } catch (error) {
      expect((error as StatusError).status.code).toBe(415);
    }
  });
});

describe("YAML", () => {
  const yaml = (text: string, validation: FieldValidation = "Strict") =>
    decode(text, validation, podKind, "application/yaml; charset=utf-8");
  test("is read as JSON would be", () => {
    const { object } = yaml(
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {x: 'true'}\nspec:\n  containers:\n  - name: c\n    image: x\n",
    );
    expect(object.metadata).toEqual({ name: "a", labels: { x: "true" } });
    expect(object.spec.containers).toEqual([{ name: "c", image: "x", resources: {} }]);
  });
  test("times stay text", () => {
    expect(yaml("metadata:\n  deletionTimestamp: 2024-01-01T00:00:00Z\n").object.metadata.deletionTimestamp).toBe(
      "2024-01-01T00:00:00Z",
    );
  });
  test("duplicates", () => {
    const text = "metadata:\n  name: a\n  name: b\n";
    expect(message(() => yaml(text))).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: yaml: unmarshal errors:\n  line 3: key "name" already set in map',
    );
    expect(yaml(text, "Warn").object.metadata.name).toBe("b");
  });
  test("aliases that unfold without end are refused", () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [index, name] of [..."bcdefghi"].entries()) {
      lines.push(`${name}: &${name} [${`*${"abcdefghi"[index]}, `.repeat(10)}]`);
    }
    expect(message(() => yaml(lines.join("\n")))).toContain("excessive aliasing");
  });
});

describe("any text", () => {
  test("is decoded or refused", () => {
    const texts = fc
      .tuple(
        fc.json(),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom("", '"', "{", "}", ",", "\\", "[", "0", ":", "e")), {
          maxLength: 3,
        }),
      )
      .map(([text, changes]) =>
        changes.reduce((current, [at, replacement]) => {
          const index = at % (current.length + 1);
          return current.slice(0, index) + replacement + current.slice(index + 1);
        }, `{"spec":${text}}`),
      );
    fc.assert(
      fc.property(texts, (text) => {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        let answer = "";
        try {
          decode(text);
        } catch (error) {
          if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
          answer = error.message;
        }
        expect(/invalid character|unexpected end of JSON/.test(answer), answer).toBe(!parses);
      }),
      { seed: 4, numRuns: 2000 },
    );
  });

  test("members are counted alike in text and value, unless there are duplicates", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(measureJson(text).members).toBe(countMembers(value));
        expect(duplicateMembers(text)).toEqual([]);
      }),
      { seed: 5, numRuns: 1000 },
    );
  });
});
