import { ParseError } from "./errors.ts";

export interface Token {
  readonly kind: "ident" | "escaped" | "int" | "uint" | "double" | "string" | "bytes" | "op" | "end";
  /** The source text; of a string its contents with escapes resolved. */
  readonly text: string;
  readonly position: number;
  readonly bytes?: Uint8Array;
}

const space = /[ \t\r\n\f]+|\/\/[^\n]*/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedIdentifier = /`[A-Za-z0-9_.\-/ ]+`/y;
const double = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const integer = /(?:0[xX][0-9a-fA-F]+|\d+)([uU]?)/y;
const operator = /(?:==|!=|<=|>=|&&|\|\||[<>!?:+\-*/%()[\]{}.,=])/y;
const stringStart = /(?:[rR][bB]|[bB][rR]|[rR]|[bB])?(?:"""|'''|"|')/y;

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

/** The lexical rules of CEL.g4 (cel-go parser/gen). */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const skipped = match(space, source, at);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    const token = next(source, at);
    tokens.push(token.token);
    at = token.end;
  }
  tokens.push({ kind: "end", text: "<EOF>", position: source.length });
  return tokens;
}

function next(source: string, at: number): { token: Token; end: number } {
  const opening = match(stringStart, source, at);
  if (opening !== undefined) return stringToken(source, at, opening);
  const plain = (kind: Token["kind"], text: string) => ({ token: { kind, text, position: at }, end: at + text.length });
  const name = match(identifier, source, at);
  if (name !== undefined) return plain("ident", name);
  const float = match(double, source, at);
  if (float !== undefined) return plain("double", float);
  const int = match(integer, source, at);
  if (int !== undefined) return plain(/[uU]$/.test(int) ? "uint" : "int", int);
  const op = match(operator, source, at);
  if (op !== undefined) return plain("op", op);
  const escaped = match(escapedIdentifier, source, at);
  if (escaped !== undefined) return plain("escaped", escaped);
  throw new ParseError(
    at,
    `Syntax error: token recognition error at: '${String.fromCodePoint(source.codePointAt(at) ?? 0)}'`,
  );
}

function stringToken(source: string, at: number, opening: string): { token: Token; end: number } {
  const quote = opening.replace(/^[rRbB]*/, "");
  const prefix = opening.slice(0, opening.length - quote.length).toLowerCase();
  const raw = prefix.includes("r");
  let end = at + opening.length;
  for (; ; end++) {
    if (end >= source.length || (quote.length === 1 && (source[end] === "\n" || source[end] === "\r"))) {
      throw new ParseError(at, `Syntax error: token recognition error at: '${source.slice(at, end)}'`);
    }
    if (source.startsWith(quote, end)) break;
    if (source[end] === "\\" && !raw) end++;
  }
  const body = source.slice(at + opening.length, end);
  const kind = prefix.includes("b") ? "bytes" : "string";
  const value = unescape(body, raw, kind === "bytes", at);
  const token: Token =
    kind === "bytes"
      ? { kind, text: body, position: at, bytes: value as Uint8Array }
      : { kind, text: value as string, position: at };
  return { token, end: end + quote.length };
}

const simpleEscapes: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};
const escapePattern =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]?))/g;
const encoder = new TextEncoder();

/** In bytes an octal or hexadecimal escape is a byte; in strings a code point. */
function unescape(body: string, raw: boolean, isBytes: boolean, position: number): string | Uint8Array {
  const text = body.replaceAll(/\r\n?/g, "\n");
  if (raw || !text.includes("\\")) return isBytes ? encoder.encode(text) : text;
  const parts: Uint8Array[] = [];
  let out = "";
  let last = 0;
  for (const found of text.matchAll(escapePattern)) {
    out += text.slice(last, found.index);
    last = found.index + found[0].length;
    const [, simple, hex, short, long, octal] = found;
    if (simple !== undefined) {
      out += simpleEscapes[simple];
      continue;
    }
    const code =
      hex !== undefined
        ? parseInt(hex, 16)
        : octal !== undefined
          ? parseInt(octal, 8)
          : parseInt(short ?? long ?? "", 16);
    if (Number.isNaN(code)) throw new ParseError(position, `Syntax error: token recognition error at: '${found[0]}'`);
    if (isBytes && (hex !== undefined || octal !== undefined)) {
      parts.push(encoder.encode(out), Uint8Array.of(code));
      out = "";
      continue;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      throw new ParseError(position, "invalid unicode code point");
    out += String.fromCodePoint(code);
  }
  out += text.slice(last);
  if (!isBytes) return out;
  parts.push(encoder.encode(out));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
