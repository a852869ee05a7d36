import { formatJsonPathValue, parseJsonPath } from "../../apimachinery/jsonpath.ts";
import type { JsonPath } from "../../apimachinery/jsonpath.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { since } from "../../apis/printers/cells.ts";
import { defaultPrinter } from "../../apis/printers/default.ts";
import type { TableColumn, TablePrinter } from "../../apis/printers/printer.ts";
import type { PrinterColumn } from "./definition.ts";

/** Marks the text of a custom printer, where built-in ones are named by group and resource. */
const customMark = "custom:";

/** A watcher's attachment holds 16 KiB; columns beyond this come without their descriptions. */
const maxText = 10 * 1024;

const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "CreationTimestamp is a timestamp representing the server time when this object was created.",
};

/**
 * The printer of a custom kind: its name and its own columns; its age if it has none.
 * Mirrors pkg/registry/customresource/tableconvertor of k8s.io/apiextensions-apiserver (1.36).
 */
export function customPrinter(definitions: readonly PrinterColumn[] | undefined): TablePrinter {
  const columns = definitions === undefined || definitions.length === 0 ? [ageColumn] : definitions;
  const paths = columns.map(({ jsonPath }) => pathOf(jsonPath));
  return {
    columns: [{ ...defaultPrinter.columns[0]!, description: nameDescription }, ...columns.map(tableColumn)],
    cells: (object, now) => [
      object.metadata.name ?? "",
      ...columns.map(({ type }, index) => cellOf(object, paths[index], type, now)),
    ],
  };
}

const nameDescription = "Name must be unique within a namespace.";

function tableColumn({ name, type, format = "", description, priority = 0, jsonPath }: PrinterColumn): TableColumn {
  return {
    name,
    type,
    format,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
  };
}

/** A path that makes no sense shows nothing, rather than failing every list. */
function pathOf(text: string): JsonPath | undefined {
  try {
    return parseJsonPath(text);
  } catch {
    return undefined;
  }
}

function cellOf(object: KubeObject, path: JsonPath | undefined, type: string, now: number): unknown {
  const value = path?.find(object)[0];
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "string":
      return formatJsonPathValue(value);
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(Date.parse(value)) ? "<invalid>" : since(value, now);
    default:
      return null;
  }
}

/** The printer as text, for the watch cache. */
export function printerText(columns: readonly PrinterColumn[] | undefined): string {
  const text = customMark + JSON.stringify(columns ?? []);
  return text.length <= maxText
    ? text
    : customMark + JSON.stringify((columns ?? []).map(({ description: _description, ...column }) => column));
}

const printers = new Map<string, TablePrinter>();

/** The printer of a text, if it is a custom one. */
export function printerOfText(text: string): TablePrinter | undefined {
  if (!text.startsWith(customMark)) return undefined;
  let printer = printers.get(text);
  if (printer === undefined) {
    printer = customPrinter(JSON.parse(text.slice(customMark.length)) as PrinterColumn[]);
    if (printers.size >= 100) printers.clear();
    printers.set(text, printer);
  }
  return printer;
}
