import type { TablePrinter } from "./printer.ts";
import { defaultPrinter } from "./default.ts";

const printers: Record<string, TablePrinter> = {};

/** The printer of a resource; name and age for kinds without their own. */
export function printerFor(group: string, resource: string): TablePrinter {
  return printers[group === "" ? resource : `${group}/${resource}`] ?? defaultPrinter;
}
