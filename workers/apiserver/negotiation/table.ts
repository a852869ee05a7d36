import type { KubeObject, ListMeta } from "../../apimachinery/meta.ts";
import type { TablePrinter } from "../../apis/printers/printer.ts";

export type IncludeObject = "None" | "Metadata" | "Object";

/** metav1.Table of objects. `apiVersionKind` is put on included objects. Mirrors handlers/response.go asTable (1.36). */
export function tableOf(
  objects: KubeObject[],
  printer: TablePrinter,
  options: { version: string; includeObject: IncludeObject; metadata: ListMeta; columns: boolean; now: number },
): KubeObject {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: options.metadata,
    columnDefinitions: options.columns ? printer.columns : [],
    rows: objects.map((object) => ({
      cells: printer.cells(object, options.now),
      ...(options.includeObject === "None"
        ? {}
        : { object: options.includeObject === "Object" ? object : partialMetadata(object, options.version) }),
    })),
  };
}

/** metav1.PartialObjectMetadata of an object. */
export function partialMetadata(object: KubeObject, version: string): KubeObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
