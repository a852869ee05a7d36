import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import types from "../../workers/apis/facts/types.json" with { type: "json" };
import { buildDocs } from "./docs.mjs";
import { clientNodeDocs } from "./model-docs.mjs";

const folder = (name: string) => join(dirname(fileURLToPath(import.meta.url)), "../../node_modules", name);
const clientNode = folder("@kubernetes/client-node");
const structs: Record<string, string[]> = types.structs;

describe("buildDocs", () => {
  const { structs: docs, parameters } = buildDocs(structs, {
    clientNode,
    kubernetesModels: folder("kubernetes-models"),
    apimachinery: folder("@kubernetes-models/apimachinery"),
  });

  it("describes plain fields, references and fields with names of their own", () => {
    expect(docs["core/v1.Container"]?.[0]).toMatch(/^A single application container/);
    expect(docs["core/v1.Container"]?.[1].command).toContain("The container image's ENTRYPOINT");
    expect(docs["core/v1.Container"]?.[1].livenessProbe).toMatch(/^Periodic probe of container liveness/);
    expect(docs["meta/v1.ListMeta"]?.[1].continue).toMatch(/^continue may be set/);
    expect(docs["resource/v1beta1.ResourceClaim"]?.[1].spec).toBeTruthy();
    expect(parameters.fieldValidation).toContain("Strict");
  });

  it("leaves no escapes of the source in the text", () => {
    const text = JSON.stringify([docs, parameters]);
    expect(/&#|&quot;|\*_\//.exec(text)?.[0]).toBeUndefined();
  });

  it("describes almost every field of the stable versions", () => {
    const missing = Object.entries(structs)
      .filter(
        ([name]) => /^(core|apps|batch|networking|policy|rbac|storage)\/v\d+\./.test(name) && !name.endsWith("Options"),
      )
      .flatMap(([name, lines]) =>
        lines.flatMap((line) => {
          const field = line.split(" ")[0] ?? "";
          return field.startsWith("@") || docs[name]?.[1][field] ? [] : `${name}.${field}`;
        }),
      );
    expect(missing).toEqual(["networking/v1.IngressRule.http"]);
  });
});

describe("facts/types.json", () => {
  it("has the fields that client-node's release of the same version has", () => {
    const classes = clientNodeDocs(clientNode);
    const versionAndName = (struct: string) => struct.slice(struct.indexOf("/") + 1);
    const seen = new Map<string, number>();
    for (const struct of Object.keys(structs)) {
      const key = versionAndName(struct);
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    let compared = 0;
    for (const [struct, lines] of Object.entries(structs)) {
      const key = versionAndName(struct);
      const model = seen.get(key) === 1 ? classes.get(`V${key.slice(1).replace(".", "")}`) : undefined;
      if (!model) continue;
      compared++;
      const fields = lines.flatMap((line) =>
        line.startsWith("@") ? [] : (line.split(" ")[0] ?? "").replace(/^\$/, "").replaceAll("-", "_"),
      );
      expect(Object.keys(model.fields).toSorted(), struct).toEqual(fields.toSorted());
    }
    expect(compared).toBeGreaterThan(600);
  });
});
