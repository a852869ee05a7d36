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

/** A longer line is not shown. */
const maxSnippet = 16_384;
const maxIssues = 100;

/** cel-go's common/error.go: the issue, its line and a caret under its column. */
export function formatIssue(source: string, issue: Issue): string {
  const position = Math.min(issue.position, source.length);
  const start = source.lastIndexOf("\n", position - 1) + 1;
  const end = source.indexOf("\n", position);
  const line = source.slice(start, end === -1 ? undefined : end);
  const before = [...source.slice(start, position)];
  const head = `ERROR: <input>:${countLines(source, start)}:${before.length + 1}: ${issue.message}`;
  if (line.length > maxSnippet) return head;
  const dots = before.map((character) => (isWide(character) ? "\uff0e" : ".")).join("");
  const caret = isWide(source.slice(position, position + 1)) ? "\uff3e" : "^";
  return `${head}\n | ${line.replaceAll("\t", " ")}\n | ${dots}${caret}`;
}

/** More than a byte long; full-width marks go under it. */
function isWide(character: string): boolean {
  return character > "\x7f";
}

export function formatIssues(source: string, issues: readonly Issue[]): string {
  const ordered = issues.toSorted((a, b) => a.position - b.position);
  const texts = ordered.slice(0, maxIssues).map((issue) => formatIssue(source, issue));
  if (ordered.length > maxIssues) texts.push(`${ordered.length - maxIssues} more errors were truncated`);
  return texts.join("\n");
}

function countLines(source: string, end: number): number {
  let lines = 1;
  for (let at = source.indexOf("\n"); at !== -1 && at < end; at = source.indexOf("\n", at + 1)) lines++;
  return lines;
}
