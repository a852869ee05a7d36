import type { WatchRequest } from "../../storage/cacher/protocol.ts";
import { openWatchSocket, WatchSocket } from "../../storage/cacher/watch-socket.ts";
import type { CacherStub, WatchEnd } from "../../storage/cacher/watch-socket.ts";
import { startWatchDeadline } from "./watch-deadline.ts";
import type { WatchResponseOptions } from "./http-watch.ts";
import { watchErrorLine } from "./watch-error.ts";

/** A JSON event, without its newline, as a message to the client. */
export type EncodeLine = (line: string) => string | Uint8Array;

/**
 * A watch over a WebSocket of the client: one text frame for each event, or what `encodeLine` makes of it. `protocol` is the subprotocol to echo, if the
 * client offered one. What the client sends is ignored.
 * Counterpart of WatchServer.HandleWS in k8s.io/apiserver pkg/endpoints/handlers/watch.go (1.36).
 * Deliberately absent: back-pressure. The platform does not say how much of a WebSocket has been sent, so frames are
 * acknowledged to the cache as soon as they are passed on.
 */
export async function watchWebSocketResponse(
  stub: CacherStub,
  watchRequest: WatchRequest,
  options: WatchResponseOptions & { protocol?: string; encodeLine?: EncodeLine },
): Promise<Response> {
  const upstream = await openWatchSocket(stub, { ...watchRequest, frames: "text" });
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();

  const encodeLine = options.encodeLine ?? ((line) => `${line}\n`);
  const end = (how: WatchEnd): void => {
    watch.close();
    cancelDeadline();
    try {
      if (how.kind === "error") server.send(encodeLine(watchErrorLine(how.error).trimEnd()));
      server.close(1000);
    } catch {
      // The client is gone.
    }
  };
  const watch = new WatchSocket(upstream, {
    onFrame(frame) {
      const text = frame as string;
      try {
        for (const line of text.split("\n")) if (line !== "") server.send(encodeLine(line));
      } catch {
        end({ kind: "done" });
        return;
      }
      watch.consumed(text.length);
    },
    onEnd: end,
  });
  const cancelDeadline = startWatchDeadline(
    options,
    () => watch.requestEnd(),
    () => end({ kind: "done" }),
  );
  server.addEventListener("close", () => end({ kind: "done" }));
  server.addEventListener("error", () => end({ kind: "done" }));
  options.signal?.addEventListener("abort", () => end({ kind: "done" }), { once: true });

  const headers = options.protocol === undefined ? undefined : { "Sec-WebSocket-Protocol": options.protocol };
  return new Response(null, { status: 101, webSocket: client, ...(headers === undefined ? {} : { headers }) });
}
