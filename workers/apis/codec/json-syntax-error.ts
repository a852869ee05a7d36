import { quote } from "../../apimachinery/quote.ts";
/**
 * The error that Go's encoding/json gives for text that is no JSON: `invalid character 'x' looking for beginning of
 * value`, `unexpected end of JSON input` and so on. Called only for text that JSON.parse refused.
 */
export function goJsonSyntaxError(text: string): string {
  try {
    new Scanner(text).document();
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
  return "invalid JSON";
}

class SyntaxProblem extends Error {}

const digits = /[0-9]/;

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value("looking for beginning of value");
    this.#space();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
  }

  #fail(context: string): never {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) throw new SyntaxProblem("unexpected end of JSON input");
    throw new SyntaxProblem(`invalid character ${quoteChar(point)} ${context}`);
  }

  #space(): void {
    while (this.#at < this.#text.length && " \t\n\r".includes(this.#text[this.#at]!)) this.#at++;
  }

  /** An explicit stack: hostile text may be nested deeper than the call stack. */
  #value(context: string): void {
    const open: string[] = [];
    let expected = context;
    for (;;) {
      this.#space();
      const character = this.#text[this.#at];
      if (character === "{") {
        this.#at++;
        this.#space();
        if (this.#text[this.#at] === "}") this.#at++;
        else {
          open.push("}");
          this.#key("looking for beginning of object key string");
          expected = "looking for beginning of value";
          continue;
        }
      } else if (character === "[") {
        this.#at++;
        this.#space();
        if (this.#text[this.#at] === "]") this.#at++;
        else {
          open.push("]");
          expected = "looking for beginning of value";
          continue;
        }
      } else this.#scalar(expected);
      for (;;) {
        const close = open.at(-1);
        if (close === undefined) return;
        this.#space();
        if (this.#text[this.#at] === close) {
          this.#at++;
          open.pop();
          continue;
        }
        if (this.#text[this.#at] !== ",") {
          this.#fail(close === "}" ? "after object key:value pair" : "after array element");
        }
        this.#at++;
        if (close === "}") this.#key("looking for beginning of object key string");
        expected = "looking for beginning of value";
        break;
      }
    }
  }

  #key(context: string): void {
    this.#space();
    if (this.#text[this.#at] !== '"') this.#fail(context);
    this.#string();
    this.#space();
    if (this.#text[this.#at] !== ":") this.#fail("after object key");
    this.#at++;
  }

  #scalar(context: string): void {
    const character = this.#text[this.#at] ?? "";
    if (character === '"') this.#string();
    else if (character === "t") this.#literal("true");
    else if (character === "f") this.#literal("false");
    else if (character === "n") this.#literal("null");
    else if (character === "-" || digits.test(character)) this.#number();
    else this.#fail(context);
  }

  #literal(word: string): void {
    for (let index = 0; index < word.length; index++, this.#at++) {
      if (index > 0 && this.#text[this.#at] !== word[index])
        this.#fail(`in literal ${word} (expecting '${word[index]}')`);
    }
  }

  #string(): void {
    for (this.#at++; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character === undefined || character < " ") this.#fail("in string literal");
      if (character === '"') break;
      if (character !== "\\") continue;
      this.#at++;
      if (this.#text[this.#at] === "u") {
        for (let index = 0; index < 4; index++) {
          this.#at++;
          if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) this.#fail("in \\u hexadecimal character escape");
        }
      } else if (!'"\\/bfnrt'.includes(this.#text[this.#at] ?? "x")) this.#fail("in string escape code");
    }
    this.#at++;
  }

  #number(): void {
    if (this.#text[this.#at] === "-") {
      this.#at++;
      if (!digits.test(this.#text[this.#at] ?? "")) this.#fail("in numeric literal");
    }
    if (this.#text[this.#at] === "0") this.#at++;
    else this.#digits();
    if (this.#text[this.#at] === ".") {
      this.#at++;
      if (!digits.test(this.#text[this.#at] ?? "")) this.#fail("after decimal point in numeric literal");
      this.#digits();
    }
    if (this.#text[this.#at] === "e" || this.#text[this.#at] === "E") {
      this.#at++;
      if (this.#text[this.#at] === "+" || this.#text[this.#at] === "-") this.#at++;
      if (!digits.test(this.#text[this.#at] ?? "")) this.#fail("in exponent of numeric literal");
      this.#digits();
    }
  }

  #digits(): void {
    while (digits.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}

/** Go's quoteChar. */
function quoteChar(point: number): string {
  if (point === 0x27) return "'\\''";
  if (point === 0x22) return "'\"'";
  return `'${quote(String.fromCodePoint(point)).slice(1, -1)}'`;
}
