import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../workers/env.ts";

export class ResourceShard extends DurableObject<Env> {}
