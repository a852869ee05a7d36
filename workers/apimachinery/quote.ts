/** Go's %q for the strings that appear in error messages: double quotes, escapes, printable characters as they are. */
export function quote(text: string): string {
  let quoted = '"';
  for (const character of text) {
    const short = shortEscapes[character];
    const code = character.codePointAt(0)!;
    if (short !== undefined) quoted += short;
    else if (code < 0x20 || code === 0x7f) quoted += `\\x${code.toString(16).padStart(2, "0")}`;
    else if (!unprintable.test(character)) quoted += character;
    else if (code > 0xffff) quoted += `\\U${code.toString(16).padStart(8, "0")}`;
    else quoted += `\\u${code.toString(16).padStart(4, "0")}`;
  }
  return quoted + '"';
}

const unprintable = /[\p{Zs}\p{Zl}\p{Zp}\p{C}]/u;

const shortEscapes: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  " ": " ",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};
