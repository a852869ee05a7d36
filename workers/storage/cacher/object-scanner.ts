/**
 * Finds the ends of JSON values in text without building them. The text must be JSON made by JSON.stringify:
 * nothing is validated.
 */

const quote = 34;
const backslash = 92;

/** Index of the closing quote of the string that opens at `start`, or -1 when the text ends before. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

/** Index after the object or array that opens at `start`, or -1 when the text ends before. */
export function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = endOfString(text, index);
        if (index < 0) return -1;
        break;
      case 123: // {
      case 91: // [
        depth++;
        break;
      case 125: // }
      case 93: // ]
        if (--depth === 0) return index + 1;
        break;
    }
  }
  return -1;
}

const metadataStart = '{"metadata":'.length;

/** The text of a stored object with another resourceVersion: metadata is its first member, resourceVersion that one's last. */
export function withResourceVersion(value: string, revision: number): string {
  const metadataEnd = endOfValue(value, metadataStart);
  const close = value.lastIndexOf('"', metadataEnd - 1);
  const open = value.lastIndexOf('"', close - 1);
  return `${value.slice(0, open + 1)}${revision}${value.slice(close)}`;
}

/** The text of an object's metadata; cheap when that is the first member, as in stored texts. */
export function metadataText(value: string): string {
  if (!value.startsWith('{"metadata":')) return JSON.stringify((JSON.parse(value) as { metadata: unknown }).metadata);
  return value.slice(metadataStart, endOfValue(value, metadataStart));
}
