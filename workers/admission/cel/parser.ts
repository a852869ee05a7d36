import type { Entry, Expr, StructExpr } from "./ast.ts";
import { ParseError } from "./errors.ts";
import { ExprFactory } from "./expr-factory.ts";
import type { Token } from "./lexer.ts";
import { tokenize } from "./lexer.ts";
import type { Macro } from "./macros.ts";
import { CelUint, maxInt64, maxUint64, minInt64 } from "./values.ts";

export interface ParseOptions {
  readonly macros: readonly Macro[];
  /** `a.?b`, `a[?i]`, `[?x]`, `{?k: v}` */
  readonly optionalSyntax: boolean;
  /** Field names in back quotes. */
  readonly escapedIdentifiers: boolean;
}

/** Code points, as cel-go's default. */
export const maxExpressionSize = 100_000;
/** Nesting of parentheses, lists and the like, as cel-go's default. */
const maxRecursion = 250;

const reserved = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
const literals = new Set(["true", "false", "null", "in"]);
const relations = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** Raises ParseError. Mirrors cel-go parser/parser.go with CEL.g4. */
export function parse(source: string, options: ParseOptions): Expr {
  if (source.length > maxExpressionSize) {
    throw new ParseError(
      0,
      `expression code point size exceeds limit: size: ${source.length}, limit ${maxExpressionSize}`,
    );
  }
  return new Parser(source, options).parse();
}

class Parser {
  readonly #tokens: Token[];
  readonly #options: ParseOptions;
  readonly #macros = new Map<string, Macro>();
  readonly #make = new ExprFactory();
  #at = 0;
  #recursion = 0;

  constructor(source: string, options: ParseOptions) {
    this.#tokens = tokenize(source);
    this.#options = options;
    for (const macro of options.macros) this.#macros.set(`${macro.function}:${macro.args}:${macro.member}`, macro);
  }

  parse(): Expr {
    const expr = this.#expression();
    if (this.#peek().kind !== "end") throw this.#unexpected("<EOF>");
    return expr;
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #isOp(text: string): boolean {
    const token = this.#peek();
    return token.kind === "op" && token.text === text;
  }

  #accept(text: string): Token | undefined {
    if (!this.#isOp(text)) return undefined;
    return this.#tokens[this.#at++];
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token === undefined) throw this.#unexpected(`'${text}'`);
    return token;
  }

  #unexpected(expecting: string): ParseError {
    const token = this.#peek();
    const text = token.kind === "string" ? `"${token.text}"` : token.text;
    return new ParseError(token.position, `Syntax error: mismatched input '${text}' expecting ${expecting}`);
  }

  #makeAt(position: number): ExprFactory {
    this.#make.position = position;
    return this.#make;
  }

  #expression(): Expr {
    if (++this.#recursion > maxRecursion) {
      throw new ParseError(this.#peek().position, `expression recursion limit exceeded: ${maxRecursion}`);
    }
    const condition = this.#logical("||", "_||_", () => this.#logical("&&", "_&&_", () => this.#relation()));
    const question = this.#accept("?");
    let expr = condition;
    if (question !== undefined) {
      const then = this.#logical("||", "_||_", () => this.#logical("&&", "_&&_", () => this.#relation()));
      this.#expect(":");
      const otherwise = this.#expression();
      expr = this.#makeAt(question.position).call("_?_:_", condition, then, otherwise);
    }
    this.#recursion--;
    return expr;
  }

  /** A chain becomes a balanced tree, so that long ones stay shallow. */
  #logical(op: string, name: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const positions: number[] = [];
    for (let token = this.#accept(op); token !== undefined; token = this.#accept(op)) {
      positions.push(token.position);
      terms.push(operand());
    }
    const balance = (low: number, high: number): Expr => {
      if (low === high) return terms[low] as Expr;
      const middle = Math.floor((low + high) / 2);
      const left = balance(low, middle);
      const right = balance(middle + 1, high);
      return this.#makeAt(positions[middle] as number).call(name, left, right);
    };
    return balance(0, terms.length - 1);
  }

  #relation(): Expr {
    let left = this.#addition();
    for (;;) {
      const token = this.#peek();
      const isIn = token.kind === "ident" && token.text === "in";
      if (!isIn && !(token.kind === "op" && relations.has(token.text))) return left;
      this.#at++;
      const right = this.#addition();
      left = this.#makeAt(token.position).call(isIn ? "@in" : `_${token.text}_`, left, right);
    }
  }

  #addition(): Expr {
    let left = this.#multiplication();
    for (;;) {
      const token = this.#accept("+") ?? this.#accept("-");
      if (token === undefined) return left;
      const right = this.#multiplication();
      left = this.#makeAt(token.position).call(`_${token.text}_`, left, right);
    }
  }

  #multiplication(): Expr {
    let left = this.#unary();
    for (;;) {
      const token = this.#accept("*") ?? this.#accept("/") ?? this.#accept("%");
      if (token === undefined) return left;
      const right = this.#unary();
      left = this.#makeAt(token.position).call(`_${token.text}_`, left, right);
    }
  }

  /** An even number of signs cancels out; one minus before a number belongs to it. */
  #unary(): Expr {
    const first = this.#peek();
    for (const [op, name] of [
      ["!", "!_"],
      ["-", "-_"],
    ] as const) {
      let count = 0;
      while (this.#isOp(op)) {
        const following = this.#tokens[this.#at + 1];
        const isNumber = following?.kind === "int" || following?.kind === "double";
        if (op === "-" && isNumber) break;
        this.#at++;
        count++;
      }
      if (count === 0) continue;
      const operand = this.#member();
      return count % 2 === 0 ? operand : this.#makeAt(first.position).call(name, operand);
    }
    return this.#member();
  }

  #member(): Expr {
    let expr = this.#primary();
    for (;;) {
      const dot = this.#accept(".");
      if (dot !== undefined) {
        expr = this.#selection(expr, dot);
        continue;
      }
      const open = this.#accept("[");
      if (open === undefined) return expr;
      const optional = this.#optionalMark();
      const index = this.#expression();
      this.#expect("]");
      expr = this.#makeAt(open.position).call(optional ? "_[?_]" : "_[_]", expr, index);
    }
  }

  #optionalMark(): boolean {
    const mark = this.#accept("?");
    if (mark === undefined) return false;
    if (!this.#options.optionalSyntax) throw new ParseError(mark.position, "unsupported syntax '?'");
    return true;
  }

  #selection(operand: Expr, dot: Token): Expr {
    const optional = this.#optionalMark();
    const { name, escaped } = this.#fieldName();
    const open = optional || escaped ? undefined : this.#accept("(");
    if (open !== undefined) {
      const args = this.#arguments(")");
      return this.#call(open.position, name, operand, args);
    }
    const make = this.#makeAt(dot.position);
    return optional ? make.call("_?._", operand, make.literal(name)) : make.select(operand, name);
  }

  #fieldName(): { name: string; escaped: boolean } {
    const token = this.#peek();
    if (token.kind === "escaped") {
      if (!this.#options.escapedIdentifiers) throw new ParseError(token.position, "unsupported syntax: '`'");
      this.#at++;
      return { name: token.text.slice(1, -1), escaped: true };
    }
    if (token.kind !== "ident" || literals.has(token.text)) throw this.#unexpected("IDENTIFIER");
    this.#at++;
    return { name: token.text, escaped: false };
  }

  #arguments(close: string): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(close) !== undefined) return args;
    do args.push(this.#expression());
    while (this.#accept(",") !== undefined);
    this.#expect(close);
    return args;
  }

  #call(position: number, name: string, target: Expr | undefined, args: Expr[]): Expr {
    const make = this.#makeAt(position);
    const macro = this.#macros.get(`${name}:${args.length}:${target !== undefined}`);
    const expanded = macro?.expand(make, target, args);
    if (expanded !== undefined) return expanded;
    return target === undefined ? make.call(name, ...args) : make.member(target, name, ...args);
  }

  #primary(): Expr {
    const token = this.#peek();
    if (token.kind === "op") {
      if (token.text === "(") {
        this.#at++;
        const expr = this.#expression();
        this.#expect(")");
        return expr;
      }
      if (token.text === "[") return this.#list();
      if (token.text === "{") return this.#map();
      if (token.text === "-") {
        const number = this.#tokens[this.#at + 1] as Token;
        if (number.kind !== "int" && number.kind !== "double") {
          throw new ParseError(number.position, `Syntax error: no viable alternative at input '-${number.text}'`);
        }
        this.#at += 2;
        return this.#number(number, token.position, "-");
      }
      if (token.text === ".") {
        this.#at++;
        return this.#identifier(true);
      }
      throw this.#unexpected(
        "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      );
    }
    const make = this.#makeAt(token.position);
    switch (token.kind) {
      case "int":
      case "uint":
      case "double":
        this.#at++;
        return this.#number(token, token.position, "");
      case "string":
        this.#at++;
        return make.literal(token.text);
      case "bytes":
        this.#at++;
        return make.literal(token.bytes as Uint8Array);
      case "ident":
        return this.#identifier(false);
      default:
        throw this.#unexpected(
          "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        );
    }
  }

  #number(token: Token, position: number, sign: string): Expr {
    const make = this.#makeAt(position);
    if (token.kind === "double") {
      const value = Number(sign + token.text);
      if (!Number.isFinite(value)) throw new ParseError(position, "invalid double literal");
      return make.literal(value);
    }
    const value = BigInt(token.text.replace(/[uU]$/, ""));
    if (token.kind === "uint") {
      if (value > maxUint64) throw new ParseError(position, "invalid uint literal");
      return make.literal(new CelUint(value));
    }
    const signed = sign === "-" ? -value : value;
    if (signed > maxInt64 || signed < minInt64) throw new ParseError(position, "invalid int literal");
    return make.literal(signed);
  }

  #identifier(rooted: boolean): Expr {
    const token = this.#peek();
    if (token.kind !== "ident") throw this.#unexpected("IDENTIFIER");
    this.#at++;
    const make = this.#makeAt(token.position);
    if (!rooted) {
      if (token.text === "true" || token.text === "false") return make.literal(token.text === "true");
      if (token.text === "null") return make.literal(null);
    }
    if (literals.has(token.text))
      throw new ParseError(token.position, `Syntax error: mismatched input '${token.text}'`);
    if (reserved.has(token.text)) throw new ParseError(token.position, `reserved identifier: ${token.text}`);
    const name = rooted ? `.${token.text}` : token.text;
    const struct = this.#structName(name);
    if (struct !== undefined) return struct;
    const open = this.#accept("(");
    if (open === undefined) return this.#makeAt(token.position).ident(name);
    const args = this.#arguments(")");
    return this.#call(open.position, name, undefined, args);
  }

  /** `a.b.C{` begins a message; anything else is left to the caller. */
  #structName(first: string): Expr | undefined {
    let ahead = this.#at;
    let name = first;
    const token = (): Token => this.#tokens[ahead] as Token;
    while (token().kind === "op" && token().text === "." && this.#tokens[ahead + 1]?.kind === "ident") {
      name += `.${this.#tokens[ahead + 1]?.text}`;
      ahead += 2;
    }
    if (token().kind !== "op" || token().text !== "{") return undefined;
    const open = token();
    this.#at = ahead + 1;
    const fields: StructExpr["fields"][number][] = [];
    while (this.#accept("}") === undefined) {
      const optional = this.#optionalMark();
      const field = this.#fieldName().name;
      const colon = this.#expect(":");
      fields.push({ name: field, value: this.#expression(), optional, position: colon.position });
      if (this.#accept(",") === undefined) {
        this.#expect("}");
        break;
      }
    }
    return this.#makeAt(open.position).struct(name, fields);
  }

  #list(): Expr {
    const open = this.#expect("[");
    const elements: Expr[] = [];
    const optional: number[] = [];
    while (this.#accept("]") === undefined) {
      if (this.#optionalMark()) optional.push(elements.length);
      elements.push(this.#expression());
      if (this.#accept(",") === undefined) {
        this.#expect("]");
        break;
      }
    }
    return this.#makeAt(open.position).list(elements, optional);
  }

  #map(): Expr {
    const open = this.#expect("{");
    const entries: Omit<Entry, "id">[] = [];
    while (this.#accept("}") === undefined) {
      const optional = this.#optionalMark();
      const key = this.#expression();
      this.#expect(":");
      entries.push({ key, value: this.#expression(), optional });
      if (this.#accept(",") === undefined) {
        this.#expect("}");
        break;
      }
    }
    return this.#makeAt(open.position).map(entries);
  }
}
