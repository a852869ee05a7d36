import { cborSequenceMediaType, jsonMediaType, protobufMediaType } from "../../apis/codec/media-types.ts";
import { maxOutstanding } from "../../storage/cacher/protocol.ts";
import type { EventEncoding, WatchRequest } from "../../storage/cacher/protocol.ts";
import { openWatchSocket, WatchSocket } from "../../storage/cacher/watch-socket.ts";
import type { CacherStub, WatchEnd } from "../../storage/cacher/watch-socket.ts";
import { startWatchDeadline } from "./watch-deadline.ts";
import type { WatchDeadlineOptions } from "./watch-deadline.ts";
import { watchErrorFrame } from "./watch-error.ts";

export interface WatchResponseOptions extends WatchDeadlineOptions {
  /** Aborted when the client is gone. */
  signal?: AbortSignal;
}

function watchHeaders(encoding: EventEncoding | undefined): Record<string, string> {
  return {
    "Content-Type": encoding === undefined ? jsonMediaType : streamType[encoding],
    // Compressed streams would be held back until they end.
    "Content-Encoding": "identity",
    "Cache-Control": "no-cache, private, no-transform",
  };
}

const streamType: Record<EventEncoding, string> = {
  protobuf: `${protobufMediaType};stream=watch`,
  cbor: cborSequenceMediaType,
};

/**
 * A watch as an HTTP stream of newline-terminated JSON events, or of frames in the encoding of the representation: the Worker's end of one socket to the watch cache, whose
 * frames pass through as they are. What the client has taken is acknowledged to the cache, which sends no more than
 * `maxOutstanding` ahead; so a client that does not read is noticed there, and memory here is bounded too.
 * A client that vanished is noticed at the next write, at the latest at the planned end.
 * Counterpart of WatchServer.HandleHTTP in k8s.io/apiserver pkg/endpoints/handlers/watch.go (1.36).
 * Throws StorageError (Unavailable) when the cache cannot be reached; all later errors are ERROR events.
 */
export async function watchResponse(
  stub: CacherStub,
  watchRequest: WatchRequest,
  options: WatchResponseOptions,
): Promise<Response> {
  const socket = await openWatchSocket(stub, { ...watchRequest, frames: "binary" });
  const { representation } = watchRequest;
  const encoding = "encoding" in representation ? representation.encoding : undefined;
  return new Response(watchStream(socket, encoding, options), { headers: watchHeaders(encoding) });
}

function watchStream(
  webSocket: WebSocket,
  encoding: EventEncoding | undefined,
  options: WatchResponseOptions,
): ReadableStream<Uint8Array> {
  const { signal } = options;
  let watch: WatchSocket;
  let cancelDeadline: () => void;
  let enqueued = 0;
  let acknowledged = 0;
  let ended = false;

  const release = (): void => {
    ended = true;
    watch.close();
    cancelDeadline();
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (how: WatchEnd): void => {
          if (ended) return;
          release();
          if (how.kind === "error") controller.enqueue(watchErrorFrame(how.error, encoding));
          controller.close();
        };
        watch = new WatchSocket(webSocket, {
          onFrame(frame) {
            if (ended) return;
            const bytes = new Uint8Array(frame as ArrayBuffer);
            enqueued += bytes.byteLength;
            controller.enqueue(bytes);
          },
          onEnd: end,
        });
        cancelDeadline = startWatchDeadline(
          options,
          () => watch.requestEnd(),
          () => end({ kind: "done" }),
        );
        const onAbort = (): void => end({ kind: "done" });
        if (signal?.aborted) onAbort();
        else signal?.addEventListener("abort", onAbort, { once: true });
      },
      // Called whenever the client has taken a chunk.
      pull(controller) {
        if (ended) return;
        const queued = maxOutstanding * 2 - (controller.desiredSize ?? 0);
        const consumed = enqueued - queued - acknowledged;
        if (consumed <= 0) return;
        acknowledged += consumed;
        watch.consumed(consumed);
      },
      cancel: release,
    },
    // Never full: the cache stops before, and so every chunk taken leads to a pull.
    new ByteLengthQueuingStrategy({ highWaterMark: maxOutstanding * 2 }),
  );
}
