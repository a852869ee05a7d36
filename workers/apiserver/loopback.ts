import { realClock } from "../apimachinery/clock.ts";
import type { Transport } from "../client/interfaces.ts";
import type { Env } from "../env.ts";
import { newStorageFactory } from "../registry/storage-factory.ts";
import type { UserInfo } from "./authentication/user-info.ts";
import type { HandlerChain } from "./handler-chain.ts";
import { newOwnRequest } from "./request/body.ts";

/** Makes transports that call the handler chain in this isolate, as a given user. */
export type LoopbackFactory = (env: Env, cluster: string, user: UserInfo) => Transport;

function newLoopbackRequest(url: string, init: RequestInit = {}): Request {
  const { body, method, headers, signal } = init;
  if (typeof body !== "string" || signal) return new Request(url, init);
  return newOwnRequest(url, {
    body,
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
  });
}

export function newLoopbackFactory(chain: HandlerChain): LoopbackFactory {
  return (env, cluster, user) => {
    const prefix = cluster === "default" ? "" : `/clusters/${cluster}`;
    // A Durable Object is one request context for its whole life, so its calls may share storage clients.
    const storage = newStorageFactory(env, cluster);
    return {
      fetch: async (path, init) =>
        chain(newLoopbackRequest(`https://loopback${prefix}${path}`, init), {
          env,
          clock: realClock,
          random: Math.random,
          loopbackUser: user,
          storage,
        }),
    };
  };
}
