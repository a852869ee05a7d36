import type { KubeObject } from "../../apimachinery/meta.ts";

/** metav1.TableColumnDefinition */
export interface TableColumn {
  name: string;
  type: string;
  format: string;
  description: string;
  /** 0 is always shown, above 0 only in wide output. */
  priority: number;
}

/** metav1.TableRowCondition: a state of the row's object that clients may filter by. */
export interface TableRowCondition {
  type: "Completed";
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
}

/** The server-side columns of a kind: what `kubectl get` shows. */
export interface TablePrinter {
  columns: readonly TableColumn[];
  /** One cell per column. `now` in milliseconds, for ages. */
  cells(object: KubeObject, now: number): unknown[];
  /** Conditions of the object's row; absent or undefined for none. */
  conditions?(object: KubeObject): readonly TableRowCondition[] | undefined;
  /** Order of the rows of a list, where it is not the list's own. */
  compare?(a: KubeObject, b: KubeObject): number;
}
