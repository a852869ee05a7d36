import type { Transport } from "./interfaces.ts";

export interface HttpTransportOptions {
  /** Of the cluster: `https://host:port`, or with a path such as `/clusters/name`. */
  server: string;
  token?: string;
  /** Sent with each request, e.g. User-Agent. */
  headers?: Record<string, string>;
  /** For runtimes where trust in the server's certificate is configured on the agent. */
  fetch?: (url: string, init?: RequestInit) => Promise<Response>;
}

/** Reaches any API server over HTTP, from Workers, Node or elsewhere. */
export function newHttpTransport(options: HttpTransportOptions): Transport {
  const server = options.server.replace(/\/+$/, "");
  const send = options.fetch ?? ((url: string, init?: RequestInit) => fetch(url, init));
  return {
    fetch(path, init = {}) {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
      if (options.token !== undefined) headers.set("authorization", `Bearer ${options.token}`);
      return send(server + path, { ...init, headers });
    },
  };
}
