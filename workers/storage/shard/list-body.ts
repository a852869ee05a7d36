import type { ShardTables } from "./tables.ts";

export const stepRows = 500;
const stepSize = 1024 * 1024;
/** Above this a list is streamed; below, one string is the cheapest. */
const streamAbove = 8 * 1024 * 1024;

/** The rows of a list that is in progress were compacted: its pin ran out. */
export class SnapshotLost extends Error {}

/** Values joined by commas, or two lines for each: its key as a JSON string, and the value, which has no line break. */
export type ListForm = "values" | "lines";

/**
 * The values of `revisions` in the given form: one string when they are few, a stream when they are many. Values are
 * read in steps, with a yield to the event loop between two of them, so that a large list does not hold up writers.
 * Throws SnapshotLost, or the stream fails with it.
 */
export async function listBody(
  tables: ShardTables,
  revisions: readonly number[],
  form: ListForm,
  nextMacrotask: () => Promise<void>,
): Promise<string | ReadableStream<Uint8Array>> {
  let position = 0;
  let size = 0;
  const parts: string[] = [];
  while (position < revisions.length) {
    if (position > 0) await nextMacrotask();
    if (size > streamAbove) return stream(tables, revisions, form, position, parts, nextMacrotask);
    const step = readStep(tables, revisions, form, position);
    position += step.rows;
    size += step.text.length;
    parts.push(step.text);
  }
  return parts.join(form === "values" ? "," : "");
}

function readStep(
  tables: ShardTables,
  revisions: readonly number[],
  form: ListForm,
  from: number,
): { text: string; rows: number } {
  const wanted = revisions.slice(from, from + stepRows);
  const values: string[] = [];
  let size = 0;
  for (const [revision, value, key] of tables.values(wanted)) {
    if (revision !== wanted[values.length]) throw new SnapshotLost();
    values.push(form === "values" ? value : `${JSON.stringify(key)}\n${value}\n`);
    size += value.length;
    if (size >= stepSize) break;
  }
  if (size < stepSize && values.length !== wanted.length) throw new SnapshotLost();
  return { text: values.join(form === "values" ? "," : ""), rows: values.length };
}

function stream(
  tables: ShardTables,
  revisions: readonly number[],
  form: ListForm,
  from: number,
  parts: string[],
  nextMacrotask: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let position = from;
  let separator = "";
  return new ReadableStream<Uint8Array>({
    // Called when the reader wants more. A reader that always does must not keep writers waiting for the whole list.
    async pull(controller) {
      let text = parts.shift();
      if (text === undefined) {
        await nextMacrotask();
        const step = readStep(tables, revisions, form, position);
        position += step.rows;
        text = step.text;
      }
      controller.enqueue(encoder.encode(separator + text));
      if (form === "values") separator = ",";
      if (parts.length === 0 && position >= revisions.length) controller.close();
    },
  });
}
