import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

/** CustomResourceDefinitions as operators bring them, with real kubectl. */
let cluster: TestCluster;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "edgeplane-crds-"));
  cluster = await TestCluster.start({ nodes: 0 });
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const kubectl = (...args: string[]) => cluster.kubectl(...args);

function file(name: string, ...objects: unknown[]): string {
  const path = join(directory, name);
  writeFileSync(path, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
  return path;
}

const crontabs = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", singular: "crontab", kind: "CronTab", shortNames: ["ct"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "CronTab runs an image on a schedule.",
            properties: {
              spec: {
                type: "object",
                required: ["cronSpec"],
                properties: {
                  cronSpec: {
                    type: "string",
                    pattern: String.raw`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$`,
                    description: "When it runs.",
                  },
                  image: { type: "string", default: "busybox" },
                  replicas: { type: "integer", minimum: 1, maximum: 10, default: 1 },
                  limit: { type: "integer" },
                },
                "x-kubernetes-validations": [
                  {
                    rule: "!has(self.limit) || self.replicas <= self.limit",
                    message: "replicas must not exceed limit",
                  },
                ],
              },
              status: {
                type: "object",
                properties: { replicas: { type: "integer" }, labelSelector: { type: "string" } },
              },
            },
          },
        },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.labelSelector",
          },
        },
        additionalPrinterColumns: [
          { name: "Spec", type: "string", jsonPath: ".spec.cronSpec" },
          { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
          { name: "Image", type: "string", jsonPath: ".spec.image", priority: 1 },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
    ],
  },
};

const crontab = (name: string, spec: object) => ({
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name },
  spec,
});

describe("a definition, from creation to deletion", () => {
  test("create, wait for Established, create an object at once", async () => {
    expect(await kubectl("create", "-f", file("crontabs.json", crontabs))).toContain(
      "crontabs.stable.example.com created",
    );
    expect(
      await kubectl("wait", "--for=condition=Established", "crd/crontabs.stable.example.com", "--timeout=10s"),
    ).toContain("condition met");
    expect(await kubectl("create", "-f", file("a.json", crontab("a", { cronSpec: "* * * * */5" })))).toContain(
      "crontab.stable.example.com/a created",
    );
  });

  test("get shows the columns, by short name and category", async () => {
    expect(await kubectl("get", "ct")).toMatch(/^NAME +SPEC +REPLICAS +AGE\na +\* \* \* \* \*\/5 +1 +\d+s\n$/);
    expect(await kubectl("get", "crontab", "a", "-o", "wide")).toMatch(
      /^NAME +SPEC +REPLICAS +IMAGE +AGE\na +\S+ \S+ \S+ \S+ \S+ +1 +busybox +\d+s\n$/,
    );
    expect(await kubectl("get", "all", "-o", "name")).toContain("crontab.stable.example.com/a");
    expect(await kubectl("api-resources", "--api-group=stable.example.com")).toMatch(
      /crontabs +ct +stable.example.com\/v1 +true +CronTab/,
    );
  });

  test("explain knows its fields", async () => {
    expect(await kubectl("explain", "ct.spec.cronSpec")).toContain("When it runs.");
    expect(await kubectl("explain", "crontab")).toContain("CronTab runs an image on a schedule.");
    expect(await kubectl("explain", "crontab.spec", "--recursive")).toMatch(/cronSpec\t<string> -required-/);
  });

  test("mistakes are named: by the client's validation, by the schema and by rules", async () => {
    const unknown = await cluster.run([
      "create",
      "-f",
      file("unknown.json", crontab("b", { cronSpec: "* * * * *", colour: "red" })),
    ]);
    expect(unknown.stderr).toContain('unknown field "spec.colour"');
    const wrong = await cluster.run([
      "create",
      "-f",
      file("wrong.json", crontab("b", { cronSpec: "never", replicas: 11 })),
    ]);
    expect(wrong.stderr).toContain("spec.cronSpec in body should match");
    expect(wrong.stderr).toContain("spec.replicas in body should be less than or equal to 10");
    const ruled = await cluster.run([
      "create",
      "-f",
      file("ruled.json", crontab("b", { cronSpec: "* * * * *", replicas: 3, limit: 2 })),
    ]);
    expect(ruled.stderr).toContain("replicas must not exceed limit");
  });

  test("scale, patch, apply both ways, wait on a field", async () => {
    expect(await kubectl("scale", "ct/a", "--replicas=3")).toContain("scaled");
    expect(await kubectl("get", "ct", "a", "-o", "jsonpath={.spec.replicas} {.metadata.generation}")).toBe("3 2");
    await kubectl("patch", "ct", "a", "--type=merge", "--subresource=status", "-p", '{"status":{"replicas":3}}');
    expect(await kubectl("wait", "ct/a", "--for=jsonpath={.status.replicas}=3", "--timeout=10s")).toContain(
      "condition met",
    );
    const applied = file("applied.json", crontab("c", { cronSpec: "0 * * * *" }));
    expect(await kubectl("apply", "-f", applied)).toContain("created");
    expect(await kubectl("apply", "-f", applied)).toContain("unchanged");
    expect(
      await kubectl("apply", "--server-side", "-f", file("ssa.json", crontab("d", { cronSpec: "0 * * * *" }))),
    ).toContain("serverside-applied");
    expect((await cluster.run(["diff", "-f", applied])).code).toBe(0);
  });

  test("delete takes its objects along", async () => {
    expect(await kubectl("delete", "crd", "crontabs.stable.example.com", "--timeout=20s")).toContain("deleted");
    const gone = await cluster.run(["get", "crontabs.stable.example.com"]);
    expect(gone.stderr).toMatch(/could not find the requested resource|doesn't have a resource type/);
  });
});

/** As large as the largest of known operators: a pod template's worth of fields with their prose, many times over. */
function largeDefinition(bytes: number) {
  const leaf = {
    type: "string",
    description: "A sentence about a field, which is what makes such definitions large. ".repeat(4),
  };
  const group = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, leaf])),
  };
  const count = Math.ceil(bytes / JSON.stringify(group).length);
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`section${index}`, { ...group }]));
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "giants.large.example.com" },
    spec: {
      group: "large.example.com",
      scope: "Cluster",
      names: { plural: "giants", singular: "giant", kind: "Giant" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

describe("large definitions and many of them", () => {
  test("830 KB can be created, and applied on the server's side", async () => {
    const path = file("giant.json", largeDefinition(830_000));
    expect(await kubectl("create", "-f", path)).toContain("created");
    expect(await kubectl("apply", "--server-side", "-f", path)).toContain("serverside-applied");
    // The annotation of client-side apply holds no more than 256 KiB, with upstream neither.
    expect((await cluster.run(["apply", "-f", path])).stderr).toContain("metadata.annotations: Too long");
    const giant = {
      apiVersion: "large.example.com/v1",
      kind: "Giant",
      metadata: { name: "g" },
      spec: { section0: { field0: "x" } },
    };
    expect(await kubectl("create", "-f", file("g.json", giant))).toContain("created");
    expect(await kubectl("explain", "giant.spec.section1.field2")).toContain("A sentence about a field");
  });

  test("150 at once are all established and discovered", async () => {
    const many = Array.from({ length: 150 }, (_, index) => ({
      ...crontabs,
      metadata: { name: `kinds${index}.many.example.com` },
      spec: {
        ...crontabs.spec,
        group: "many.example.com",
        names: { plural: `kinds${index}`, singular: `kind${index}`, kind: `Kind${index}` },
      },
    }));
    const path = file("many.json", { apiVersion: "v1", kind: "List", items: many });
    await kubectl("create", "-f", path);
    const established = await kubectl(
      "get",
      "crd",
      "-o",
      'jsonpath={.items[*].status.conditions[?(@.type=="Established")].status}',
    );
    expect(established.split(" ").filter((status) => status === "True").length).toBeGreaterThanOrEqual(150);
    expect(
      (await kubectl("api-resources", "--api-group=many.example.com", "-o", "name")).trim().split("\n"),
    ).toHaveLength(150);
    // By file: by name kubectl slows itself down to 5 a second.
    await kubectl("delete", "-f", path, "--wait=false");
    await eventually(
      "all are gone",
      async () => !(await kubectl("get", "crd", "-o", "name")).includes("many.example.com"),
    );
  });
});
