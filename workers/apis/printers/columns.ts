import type { KubeObject } from "../../apimachinery/meta.ts";
import { since } from "./cells.ts";
import type { TableColumn, TablePrinter } from "./printer.ts";

type Cell = (object: KubeObject, now: number) => unknown;

/** A column together with how its cell is read from an object. */
export interface PrintedColumn {
  column: TableColumn;
  cell: Cell;
}

/** A printer whose rows have one cell for each column by construction. */
export function tablePrinter(...columns: readonly PrintedColumn[]): TablePrinter {
  return {
    columns: columns.map(({ column }) => column),
    cells: (object, now) => columns.map(({ cell }) => cell(object, now)),
  };
}

export function stringColumn(name: string, description: string): TableColumn {
  return { name, type: "string", format: "", description, priority: 0 };
}

/** A column of type string. Its cells may be numbers all the same, where upstream has it so. */
export function column(name: string, description: string, cell: Cell): PrintedColumn {
  return { column: stringColumn(name, description), cell };
}

export function integer(name: string, description: string, cell: (object: KubeObject) => number): PrintedColumn {
  return { column: { ...stringColumn(name, description), type: "integer" }, cell };
}

export function boolean(name: string, description: string, cell: Cell): PrintedColumn {
  return { column: { ...stringColumn(name, description), type: "boolean" }, cell };
}

/** Shown in wide output only. */
export function wide({ column, cell }: PrintedColumn): PrintedColumn {
  return { column: { ...column, priority: 1 }, cell };
}

/** Marked as the object's name, by which clients find the column that identifies a row. */
export function named({ column, cell }: PrintedColumn): PrintedColumn {
  return { column: { ...column, format: "name" }, cell };
}

export const name = named(column("Name", "Name of the object.", (object) => object.metadata?.name ?? ""));

export const age = column("Age", "Time since creation.", (object, now) =>
  since(object.metadata?.creationTimestamp, now),
);
