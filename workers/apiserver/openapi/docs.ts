/** Descriptions of the built-in types, from the file that scripts/generate/main.mjs writes at build. */
import { shortTypeName } from "../../apis/schema-table.ts";

interface DocsFile {
  hash: string;
  structs: Record<string, unknown[]>;
  parameters: Record<string, string>;
}

export interface Docs {
  /** Changes with every input of the built-in documents. */
  readonly hash: string;
  struct(goName: string): string;
  field(goName: string, field: string): string;
  parameter(name: string): string;
}

/** No descriptions: documents have all but their prose. */
export const emptyDocs: Docs = { hash: "", struct: () => "", field: () => "", parameter: () => "" };

export function docsOf(file: DocsFile): Docs {
  const entry = (goName: string) => file.structs[shortTypeName(goName)] as [string, Record<string, string>] | undefined;
  return {
    hash: file.hash,
    struct: (goName) => entry(goName)?.[0] ?? "",
    field: (goName, field) => entry(goName)?.[1][field] ?? "",
    parameter: (name) => file.parameters[name] ?? "",
  };
}

let loaded: Promise<Docs> | undefined;

/** Loads the file on first use, so that start-up does not pay for it; without the file there are no descriptions. */
export function loadDocs(): Promise<Docs> {
  loaded ??= import("../../../.generated/docs.json", { with: { type: "json" } }).then(
    (module) => docsOf(module.default as unknown as DocsFile),
    () => emptyDocs,
  );
  return loaded;
}
