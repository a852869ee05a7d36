const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openers = new Set([0x7b, 0x5b]);
const closers = new Set([0x7d, 0x5d]);
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);
const newline = 0x0a;
const space = 0x20;

/**
 * JSON text in, the same indented by two spaces out, as json.MarshalIndent writes it, without a newline at the end. Works
 * on bytes as they come, so a long list is never held.
 */
export function prettyPrinter(): TransformStream<Uint8Array, Uint8Array> {
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** Just behind an opening bracket: an empty object stays on its line. */
  let opened = false;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const out: number[] = [];
      const breakLine = () => {
        out.push(newline);
        for (let i = 0; i < depth * 2; i++) out.push(space);
      };
      for (const byte of chunk) {
        if (inString) {
          out.push(byte);
          if (escaped) escaped = false;
          else if (byte === backslash) escaped = true;
          else if (byte === quote) inString = false;
          continue;
        }
        if (blanks.has(byte)) continue;
        if (closers.has(byte)) {
          depth--;
          if (!opened) breakLine();
          opened = false;
          out.push(byte);
          continue;
        }
        if (opened) breakLine();
        opened = openers.has(byte);
        if (opened) depth++;
        if (byte === quote) inString = true;
        out.push(byte);
        if (byte === comma) breakLine();
        if (byte === colon) out.push(space);
      }
      controller.enqueue(Uint8Array.from(out));
    },
  });
}
