/**
 * An error of evaluation: what cel-go calls types.Err. `&&`, `||` and the quantifiers may absorb it. No stack: a hostile
 * expression can raise many.
 */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }

  toString(): string {
    return this.message;
  }
}

/** The cost budget of one evaluation is spent. Nothing absorbs it. */
export class CostLimitExceeded {
  readonly message = "operation cancelled: actual cost limit exceeded";

  toString(): string {
    return this.message;
  }
}

export const noSuchOverload = (): CelError => new CelError("no such overload");

/** A place in the source and what is wrong there. */
export interface Issue {
  readonly position: number;
  readonly message: string;
}

/** A text that is no expression. The parser stops at the first one. */
export class ParseError extends Error {
  readonly issue: Issue;

  constructor(position: number, message: string) {
    super(message);
    this.issue = { position, message };
  }
}

/** cel-go's common/error.go: the issue, its line and a caret under its column. */
export function formatIssue(source: string, issue: Issue): string {
  const position = Math.min(issue.position, source.length);
  const start = source.lastIndexOf("\n", position - 1) + 1;
  const end = source.indexOf("\n", position);
  const line = source.slice(start, end === -1 ? undefined : end);
  const row = countLines(source, start);
  const column = [...source.slice(start, position)].length;
  const head = `ERROR: <input>:${row}:${column + 1}: ${issue.message}`;
  return `${head}\n | ${line.replaceAll("\t", " ")}\n | ${".".repeat(column)}^`;
}

export function formatIssues(source: string, issues: readonly Issue[]): string {
  const ordered = issues.toSorted((a, b) => a.position - b.position);
  return ordered.map((issue) => formatIssue(source, issue)).join("\n");
}

function countLines(source: string, end: number): number {
  let lines = 1;
  for (let at = source.indexOf("\n"); at !== -1 && at < end; at = source.indexOf("\n", at + 1)) lines++;
  return lines;
}
