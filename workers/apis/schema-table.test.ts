import { describe, expect, it } from "vitest";
import type { TypeRef } from "./schema.ts";
import { goTypeName, kindKeys, schemaTable, shortTypeName, structNames } from "./schema-table.ts";

const core = (name: string) => schemaTable.struct(`k8s.io/api/core/v1.${name}`);

function structRefs(type: TypeRef): string[] {
  if (type.kind === "struct") return [type.name];
  if (type.kind === "array") return structRefs(type.items);
  if (type.kind === "map") return structRefs(type.values);
  return [];
}

describe("schema table", () => {
  it("resolves every struct reference and embedded struct", () => {
    const missing: string[] = [];
    for (const name of structNames())
      for (const field of schemaTable.struct(name)?.fields.values() ?? [])
        for (const ref of structRefs(field.type)) if (!schemaTable.struct(ref)) missing.push(`${name}.${field.name}`);
    expect(missing).toEqual([]);
    expect(structNames().length).toBeGreaterThan(700);
  });

  it("has a struct for every kind", () => {
    for (const key of kindKeys()) {
      const parts = key.split("/");
      const [group = "", version = "", kind = ""] = parts.length === 3 ? parts : ["", ...parts];
      expect(schemaTable.structOfKind(group, version, kind), key).toBeDefined();
    }
  });

  it("gives each protobuf message distinct field numbers", () => {
    for (const name of structNames()) {
      const numbers = new Map<string, string>();
      for (const field of schemaTable.struct(name)?.fields.values() ?? []) {
        if (field.protobuf === 0) continue;
        let place = `${field.protobuf}`;
        for (let message = field.inline; message; message = message.outer) place = `${message.protobuf}/${place}`;
        expect(numbers.get(place), `${name}.${field.name}`).toBeUndefined();
        numbers.set(place, field.name);
      }
    }
  });

  it("has list map keys that are fields of the entries", () => {
    for (const name of structNames())
      for (const field of schemaTable.struct(name)?.fields.values() ?? []) {
        if (field.listType !== "map" || field.type.kind !== "array" || field.type.items.kind !== "struct") continue;
        const entry = schemaTable.struct(field.type.items.name);
        for (const key of field.listMapKeys ?? [""]) expect(entry?.fields.has(key), `${name}.${field.name}`).toBe(true);
      }
  });

  it.each([
    ["Container", "ports", "map", ["containerPort", "protocol"]],
    ["ServiceSpec", "ports", "map", ["port", "protocol"]],
    ["PodSpec", "topologySpreadConstraints", "map", ["topologyKey", "whenUnsatisfiable"]],
    ["PodSpec", "tolerations", "atomic", undefined],
    ["PodSpec", "hostAliases", "map", ["ip"]],
    ["PodStatus", "podIPs", "map", ["ip"]],
    ["ServiceAccount", "secrets", "map", ["name"]],
    ["NamespaceSpec", "finalizers", "atomic", undefined],
  ])("core/v1 %s.%s is a list of type %s", (struct, name, listType, keys) => {
    const field = core(struct)?.fields.get(name);
    expect(field?.listType).toBe(listType);
    expect(field?.listMapKeys).toEqual(keys);
  });

  it("knows patch directives, defaults, enums and pointers", () => {
    const ports = core("Container")?.fields.get("ports");
    expect([ports?.patchMergeKey, ports?.patchStrategy, ports?.omitEmpty]).toEqual(["containerPort", ["merge"], true]);
    const volumes = core("PodSpec")?.fields.get("volumes");
    expect(volumes?.patchStrategy).toEqual(["merge", "retainKeys"]);
    expect(core("ContainerPort")?.fields.get("protocol")).toMatchObject({
      default: "TCP",
      enum: ["SCTP", "TCP", "UDP"],
    });
    expect(core("PodSpec")?.fields.get("terminationGracePeriodSeconds")).toMatchObject({
      pointer: true,
      type: { kind: "int64" },
      protobuf: 4,
    });
    expect(core("ObjectReference")?.atomic).toBe(true);
  });

  it("flattens embedded structs and keeps their message", () => {
    const configMap = core("Volume")?.fields.get("configMap");
    expect(configMap?.protobuf).toBe(19);
    expect(configMap?.inline).toEqual({ name: "k8s.io/api/core/v1.VolumeSource", protobuf: 2 });
    const rule = schemaTable.struct("k8s.io/api/admissionregistration/v1.NamedRuleWithOperations")?.fields;
    expect(rule?.get("operations")?.inline?.outer).toBeUndefined();
    expect(rule?.get("apiGroups")?.inline).toMatchObject({ protobuf: 2, outer: { protobuf: 2 } });
    expect(core("Pod")?.fields.get("apiVersion")).toMatchObject({ protobuf: 0 });
    expect(core("Pod")?.fields.get("kind")?.inline).toBeUndefined();
    expect([...(core("Pod")?.fields.keys() ?? [])]).toEqual(["kind", "apiVersion", "metadata", "spec", "status"]);
  });

  it("registers the option kinds in every group and version", () => {
    expect(schemaTable.structOfKind("apps", "v1", "DeleteOptions")?.name).toBe(
      "k8s.io/apimachinery/pkg/apis/meta/v1.DeleteOptions",
    );
    expect(schemaTable.structOfKind("apps", "v1", "constructor")).toBeUndefined();
    expect(schemaTable.struct("k8s.io/api/toString")).toBeUndefined();
  });

  it("converts type names both ways", () => {
    for (const name of structNames()) expect(goTypeName(shortTypeName(name))).toBe(name);
  });
});
