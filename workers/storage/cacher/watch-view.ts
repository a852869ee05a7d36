import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { EncodedEvent, EventEncoder } from "./event-encoder.ts";
import { syntheticEvent } from "./initial-events.ts";
import type { Representation, WatchRequest } from "./protocol.ts";
import { SelectableObject } from "./watch-filter.ts";
import type { CachedEvent, WatchFilter } from "./watch-filter.ts";

/** Lines are packed into frames of about this length. */
const frameLength = 256 * 1024;

export interface Line {
  text: EncodedEvent;
  revision: number;
}

/** What is sent as one message. `revision` is that of its last line. */
export interface Frame {
  data: string | Uint8Array;
  length: number;
  revision: number;
}

const textEncoder = new TextEncoder();

export function packFrames(lines: readonly Line[], binary: boolean): Frame[] {
  const frames: Frame[] = [];
  let texts: EncodedEvent[] = [];
  let length = 0;
  for (const [index, line] of lines.entries()) {
    texts.push(line.text);
    length += line.text.length;
    if (length < frameLength && index < lines.length - 1) continue;
    const data = binary ? joined(texts, length) : texts.join("");
    frames.push({ data, length: data.length, revision: line.revision });
    texts = [];
    length = 0;
  }
  return frames;
}

/** The lines of one view are all text or all bytes; `length` is that of all together. */
function joined(texts: readonly EncodedEvent[], length: number): Uint8Array {
  if (typeof texts[0] === "string") return textEncoder.encode(texts.join(""));
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const text of texts as readonly Uint8Array[]) {
    bytes.set(text, at);
    at += text.length;
  }
  return bytes;
}

/** What makes two watchers see the same bytes. */
export function viewKey(request: WatchRequest): string {
  const { prefix, labelSelector, fieldSelector, representation, frames } = request;
  return JSON.stringify([prefix, labelSelector || "", fieldSelector || "", representation, frames ?? "text"]);
}

/** One way to look at the events, shared by all watchers that ask for the same. */
export class WatchView {
  readonly key: string;
  readonly filter: WatchFilter;
  readonly representation: Representation;
  readonly binary: boolean;
  readonly #encoder: EventEncoder;
  readonly #form: string;

  constructor(request: WatchRequest, filter: WatchFilter, encoder: EventEncoder) {
    this.key = viewKey(request);
    this.filter = filter;
    this.representation = request.representation;
    this.binary = request.frames === "binary";
    this.#encoder = encoder;
    this.#form = JSON.stringify(request.representation);
  }

  /** True when a watcher's first line differs from the lines that others get. */
  get firstDiffers(): boolean {
    return this.representation.kind === "table";
  }

  /** The lines of the events that the watchers are to see. `first`: the first of them is a watcher's first line. */
  lines(events: readonly CachedEvent[], first: boolean): Line[] {
    const lines: Line[] = [];
    for (const cached of events) {
      const shown = this.filter.shown(cached);
      if (shown === undefined) continue;
      const withColumns = first && this.firstDiffers && lines.length === 0;
      const { key, revision } = cached.event;
      const text = cached.encoded(`${shown.type}${withColumns ? "+" : ""}${this.#form}`, () =>
        this.#encoder.encode({ key, revision, ...shownFields(shown, cached) }, this.representation, withColumns),
      );
      lines.push({ text, revision });
    }
    return lines;
  }

  /** The lines of objects that a watch starts with. They move no position: their revisions are in no order. */
  initialLines(gr: GroupResource, values: readonly string[], first: boolean): Line[] {
    const lines: Line[] = [];
    for (const value of values) {
      if (!this.filter.matches(new SelectableObject(undefined, value))) continue;
      const withColumns = first && this.firstDiffers && lines.length === 0;
      const event =
        this.representation.kind === "storage"
          ? syntheticEvent(gr, value)
          : { type: "ADDED" as const, key: "", revision: 0, value };
      lines.push({ text: this.#encoder.encode(event, this.representation, withColumns), revision: 0 });
    }
    return lines;
  }

  bookmark(revision: number, initialEventsEnd: boolean, first: boolean): Frame {
    const text = this.#encoder.encodeBookmark(revision, initialEventsEnd, this.representation, first);
    return packFrames([{ text, revision }], this.binary)[0]!;
  }
}

function shownFields(shown: { type: "ADDED" | "MODIFIED" | "DELETED"; value: string }, { event }: CachedEvent) {
  const { type, value } = shown;
  return event.previous === undefined || type === "ADDED" ? { type, value } : { type, value, previous: event.previous };
}
