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

/** The server-side columns of a kind: what `kubectl get` shows. */
export interface TablePrinter {
  columns: readonly TableColumn[];
  /** One cell per column. `now` in milliseconds, for ages. */
  cells(object: KubeObject, now: number): unknown[];
}
