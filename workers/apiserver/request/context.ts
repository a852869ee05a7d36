import type { Context, MiddlewareHandler } from "hono";
import type { Clock } from "../../apimachinery/clock.ts";
import type { Env } from "../../env.ts";
import type { StorageFactory } from "../../registry/storage-factory.ts";
import type { UserInfo } from "../authentication/user-info.ts";
import type { RequestInfo } from "./request-info.ts";

/** What a caller hands to the chain beside the request. */
export interface ChainBindings {
  env: Env;
  clock: Clock;
  random: () => number;
  /** Set by in-process callers (controllers, scheduler, kubelets): already authenticated. */
  loopbackUser?: UserInfo;
  /** Storage clients of this request context; shared by the requests of a batch so that their calls coalesce. */
  storage?: StorageFactory;
  /** Lets work go on after the response; absent where the caller outlives its requests (Durable Objects). */
  waitUntil?: (promise: Promise<unknown>) => void;
}

/** What filters leave for the handlers. */
export interface RequestVariables {
  info: RequestInfo;
  requestId: string;
  user: UserInfo;
  storage: StorageFactory;
  /** Texts for `Warning: 299` headers. */
  warnings: string[];
}

export type AppEnv = { Bindings: ChainBindings; Variables: RequestVariables };
export type AppContext = Context<AppEnv>;
export type Filter = MiddlewareHandler<AppEnv>;
