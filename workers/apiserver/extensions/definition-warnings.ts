import type { CustomResourceDefinition } from "./definition.ts";
import { isSupportedFormat } from "./schema/formats.ts";
import { someSchema } from "./schema/json-schema.ts";

/** Formats that mean nothing here, which is allowed but seldom meant. */
export function formatWarnings({ spec }: CustomResourceDefinition): string[] {
  const unknown = new Set<string>();
  for (const { schema } of spec?.versions ?? []) {
    someSchema(schema?.openAPIV3Schema, ({ format }) => {
      if (typeof format === "string" && format !== "" && !isSupportedFormat(format)) unknown.add(format);
      return false;
    });
  }
  return [...unknown].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}
