import { realClock } from "../apimachinery/clock.ts";
import type { Transport } from "../client/interfaces.ts";
import type { Env } from "../env.ts";
import { newStorageFactory } from "../registry/storage-factory.ts";
import type { UserInfo } from "./authentication/user-info.ts";
import type { HandlerChain } from "./handler-chain.ts";

/** Makes transports that call the handler chain in this isolate, as a given user. */
export type LoopbackFactory = (env: Env, cluster: string, user: UserInfo) => Transport;

export function newLoopbackFactory(chain: HandlerChain): LoopbackFactory {
  return (env, cluster, user) => {
    const prefix = cluster === "default" ? "" : `/clusters/${cluster}`;
    // A Durable Object is one request context for its whole life, so its calls may share storage clients.
    const storage = newStorageFactory(env, cluster);
    return {
      fetch: async (path, init) =>
        chain(new Request(`https://loopback${prefix}${path}`, init), {
          env,
          clock: realClock,
          random: Math.random,
          loopbackUser: user,
          storage,
        }),
    };
  };
}
