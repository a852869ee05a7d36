import { labelKeyProblem, labelRequirement } from "./label-requirement.ts";
import type { LabelOperator, LabelRequirement } from "./label-requirement.ts";

type TokenKind =
  | "error"
  | "end"
  | ")"
  | ","
  | "!"
  | "=="
  | "="
  | ">"
  | "<"
  | "!="
  | "("
  | "in"
  | "notin"
  | "identifier";

interface Token {
  kind: TokenKind;
  literal: string;
}

const literals = new Set<string>([")", ",", "!", "==", "=", ">", "in", "<", "!=", "notin", "("]);
const special = "=!(),><";
const whitespace = " \t\r\n";
const binaryOperators = "in, notin, =, ==, !=, gt, lt";

/**
 * The grammar of label queries, with upstream's messages. Mirrors the Lexer and Parser of k8s.io/apimachinery
 * pkg/labels/selector.go (1.36). The result is in the order of the text.
 */
export function parseLabelRequirements(text: string): LabelRequirement[] {
  return new Parser(tokenize(text)).parse();
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  for (;;) {
    while (position < text.length && whitespace.includes(text[position]!)) position++;
    if (position >= text.length || text[position] === "\0") {
      tokens.push({ kind: "end", literal: "" });
      return tokens;
    }
    if (!special.includes(text[position]!)) {
      const start = position;
      while (position < text.length && !special.includes(text[position]!) && !whitespace.includes(text[position]!)) {
        if (text[position] === "\0") break;
        position++;
      }
      const literal = text.slice(start, position);
      tokens.push({ kind: literals.has(literal) ? (literal as TokenKind) : "identifier", literal });
      continue;
    }
    // The longest literal; a further symbol that does not extend it begins the next token.
    const start = position;
    let matched = 0;
    while (position < text.length && special.includes(text[position]!)) {
      const length = position - start + 1;
      if (literals.has(text.slice(start, start + length))) matched = length;
      else if (matched > 0) break;
      position++;
    }
    const literal = text.slice(start, start + matched);
    tokens.push(
      matched > 0
        ? { kind: literal as TokenKind, literal }
        : { kind: "error", literal: `error expected: keyword found '${text.slice(start, position)}'` },
    );
  }
}

class Parser {
  #position = 0;
  readonly #tokens: Token[];

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const next = this.#lookahead();
      if (next.kind === "end") return requirements;
      if (next.kind !== "identifier" && next.kind !== "!") {
        throw new Error(`found '${next.literal}', expected: !, identifier, or 'end of string'`);
      }
      try {
        requirements.push(this.#requirement());
      } catch (error) {
        throw new Error(`unable to parse requirement: ${(error as Error).message}`, { cause: error });
      }
      const after = this.#consume();
      if (after.kind === "end") return requirements;
      if (after.kind !== ",") throw new Error(`found '${after.literal}', expected: ',' or 'end of string'`);
      const following = this.#lookahead();
      if (following.kind !== "identifier" && following.kind !== "!") {
        throw new Error(`found '${following.literal}', expected: identifier after ','`);
      }
    }
  }

  /** In the position of a key or value, `in` and `notin` are words like any other. */
  #lookahead(): Token {
    const token = this.#tokens[this.#position] ?? { kind: "end", literal: "" };
    return token.kind === "in" || token.kind === "notin" ? { kind: "identifier", literal: token.literal } : token;
  }

  #consume(): Token {
    const token = this.#lookahead();
    this.#position++;
    return token;
  }

  #requirement(): LabelRequirement {
    let token = this.#consume();
    const negated = token.kind === "!";
    if (negated) token = this.#consume();
    if (token.kind !== "identifier") throw new Error(`found '${token.literal}', expected: identifier`);
    const key = token.literal;
    const problem = labelKeyProblem(key, "<nil>");
    if (problem !== undefined) throw new Error(problem);
    const next = this.#lookahead().kind;
    if (negated) return labelRequirement(key, "!", []);
    if (next === "end" || next === ",") return labelRequirement(key, "exists", []);
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#values() : this.#exactValue();
    return labelRequirement(key, operator, [...values].sort());
  }

  #operator(): LabelOperator {
    const token = this.#tokens[this.#position++] ?? { kind: "end", literal: "" };
    switch (token.kind) {
      case "in":
      case "notin":
      case "=":
      case "==":
      case "!=":
        return token.kind;
      case ">":
        return "gt";
      case "<":
        return "lt";
      default:
        throw new Error(`found '${token.literal}', expected: ${binaryOperators}`);
    }
  }

  #values(): Set<string> {
    const open = this.#consume();
    if (open.kind !== "(") throw new Error(`found '${open.literal}' expected: '('`);
    const first = this.#lookahead();
    switch (first.kind) {
      case ")":
        this.#consume();
        return new Set([""]);
      case "identifier":
      case ",": {
        const values = this.#identifiers();
        if (this.#consume().kind !== ")") throw new Error(`found '${first.literal}', expected: ')'`);
        return values;
      }
      default:
        throw new Error(`found '${first.literal}', expected: ',', ')' or identifier`);
    }
  }

  /** A list whose members may be empty: `(,a)`, `(a,,b)` and `(a,)` contain "". */
  #identifiers(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#consume();
      if (token.kind === "identifier") {
        values.add(token.literal);
        const next = this.#lookahead();
        if (next.kind === ",") continue;
        if (next.kind === ")") return values;
        throw new Error(`found '${next.literal}', expected: ',' or ')'`);
      }
      if (token.kind !== ",") throw new Error(`found '${token.literal}', expected: ',', or identifier`);
      if (values.size === 0) values.add("");
      const next = this.#lookahead();
      if (next.kind === ")") {
        values.add("");
        return values;
      }
      if (next.kind === ",") values.add("");
    }
  }

  #exactValue(): Set<string> {
    const next = this.#lookahead();
    if (next.kind === "end" || next.kind === ",") return new Set([""]);
    const token = this.#consume();
    if (token.kind !== "identifier") throw new Error(`found '${token.literal}', expected: identifier`);
    return new Set([token.literal]);
  }
}
