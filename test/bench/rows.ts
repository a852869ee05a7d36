import type { Row } from "./lib/row.ts";
import { apply } from "./rows/apply.ts";
import { crds500 } from "./rows/crds-500.ts";
import { create } from "./rows/create.ts";
import { customResources } from "./rows/custom-resources.ts";
import { get } from "./rows/get.ts";
import { growth } from "./rows/growth.ts";
import { list } from "./rows/list.ts";
import { podsRow } from "./rows/pods.ts";
import { startUp } from "./rows/start-up.ts";
import { watch } from "./rows/watch.ts";
import { writesBesideLists } from "./rows/writes-beside-lists.ts";

export const rows: Row[] = [
  get,
  create,
  apply,
  customResources,
  crds500,
  list,
  watch,
  podsRow,
  growth,
  writesBesideLists,
  startUp,
];
