import type { Filter } from "../request/context.ts";

/** At most this much warning text per response, as upstream's warning recorder. */
const truncateAfter = 4 * 1024;

/** Turns what handlers recorded into `Warning` headers, each text once. Mirrors WithWarningRecorder. */
export const warnings: Filter = async (c, next) => {
  await next();
  let written = 0;
  for (const text of new Set(c.get("warnings"))) {
    const quoted = text.replaceAll(/[\u0000-\u001f\u007f]/g, " ").replaceAll(/[\\"]/g, "\\$&");
    written += quoted.length;
    if (written > truncateAfter) break;
    c.header("Warning", `299 - "${toLatin1(quoted)}"`, { append: true });
  }
};

/** Header values are bytes: UTF-8 read as Latin-1. */
function toLatin1(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u00ff]*$/.test(text) && !/[\u0080-\u00ff]/.test(text)) return text;
  return String.fromCharCode(...new TextEncoder().encode(text));
}
