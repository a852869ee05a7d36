import type { KubeObject } from "../../apimachinery/meta.ts";
import { containerImages, containerNames } from "./cells.ts";
import { column, wide } from "./columns.ts";
import type { PrintedColumn } from "./columns.ts";

const templateSpec = (object: KubeObject): unknown => object.spec?.template?.spec;

/** The wide columns of kinds with a pod template. */
export function templateColumns(podSpecOf: (object: KubeObject) => unknown = templateSpec): PrintedColumn[] {
  return [
    wide(column("Containers", "Container names of the pod template.", (object) => containerNames(podSpecOf(object)))),
    wide(column("Images", "Container images of the pod template.", (object) => containerImages(podSpecOf(object)))),
  ];
}

export const selector = (cell: (object: KubeObject) => string): PrintedColumn =>
  wide(column("Selector", "Labels of the selected pods.", cell));
