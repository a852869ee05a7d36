import type { TablePrinter } from "./printer.ts";

/** What upstream's default table convertor shows: pkg/registry/rest/table.go (1.36). */
export const defaultPrinter: TablePrinter = {
  columns: [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "Name must be unique within a namespace.",
      priority: 0,
    },
    {
      name: "Created At",
      type: "date",
      format: "",
      description: "Time of creation.",
      priority: 0,
    },
  ],
  cells: (object) => [object.metadata.name ?? "", object.metadata.creationTimestamp ?? ""],
};
