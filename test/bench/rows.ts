import type { Row } from "./lib/row.ts";
import { create } from "./rows/create.ts";
import { get } from "./rows/get.ts";
import { podsRow } from "./rows/pods.ts";

export const rows: Row[] = [get, create, podsRow];
