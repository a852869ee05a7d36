/**
 * Patterns of schemas. Upstream compiles them with RE2, which takes linear time; here they become JavaScript's regular
 * expressions, so constructs that RE2 lacks (lookaround, back-references) are refused with Go's words, Go's own notations are
 * translated, and the length of what a pattern with nested repetition may be tried on is bounded.
 */
export interface Pattern {
  matches(text: string): boolean;
}

const compiled = new Map<string, Pattern>();
const maxCompiled = 1_000;

/** A pattern that could take exponential time is tried on no longer texts than this; a longer one counts as no match. */
const maxRiskyLength = 64;

/** Throws an Error with regexp/syntax's text. */
export function compilePattern(source: string): Pattern {
  let pattern = compiled.get(source);
  if (pattern === undefined) {
    pattern = compile(source);
    if (compiled.size >= maxCompiled) compiled.clear();
    compiled.set(source, pattern);
  }
  return pattern;
}

const posix: Record<string, string> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

function compile(source: string): Pattern {
  const lookaround = /\(\?(?:[=!]|<[=!])/.exec(source);
  if (lookaround) throw syntaxError("invalid or unsupported Perl syntax", lookaround[0].slice(0, lookaround[0].startsWith("(?<") ? 4 : 3));
  const reference = /(?<!\\)(?:\\\\)*(\\(?:[1-9]|k<))/.exec(source);
  if (reference) throw syntaxError("invalid escape sequence", reference[1]!);
  let flags = "";
  let text = source.replace(/^\(\?([imsU]+)\)/, (_, given: string) => {
    flags = [...given].filter((flag) => flag !== "U").join("");
    return "";
  });
  text = text
    .replace(/\[:(\^?)(\w+):\]/g, (whole, negated: string, name: string) => (negated === "" && posix[name] !== undefined ? posix[name] : whole))
    .replaceAll("(?P<", "(?<")
    .replace(/\\A/g, "^")
    .replace(/\\z/g, "$");
  const expression = regExp(text, flags, source);
  const risky = hasNestedRepetition(source);
  return { matches: (value) => !(risky && value.length > maxRiskyLength) && expression.test(value) };
}

function regExp(text: string, flags: string, source: string): RegExp {
  try {
    return new RegExp(text, `${flags}u`);
  } catch {
    try {
      // Escapes that are needless, which the strict mode refuses and RE2 accepts for punctuation.
      return new RegExp(text, flags);
    } catch (error) {
      throw syntaxError(reasonOf((error as Error).message), source);
    }
  }
}

function reasonOf(message: string): string {
  if (/unterminated group/i.test(message)) return "missing closing )";
  if (/unmatched '\)'/i.test(message)) return "unexpected )";
  if (/unterminated character class|missing terminating \]/i.test(message)) return "missing closing ]";
  if (/nothing to repeat/i.test(message)) return "missing argument to repetition operator";
  if (/out of order in character class/i.test(message)) return "invalid character class range";
  return "invalid or unsupported Perl syntax";
}

function syntaxError(reason: string, fragment: string): Error {
  return new Error(`error parsing regexp: ${reason}: \`${fragment}\``);
}

/** A repeated group that itself holds a repetition without bound: `(a+)+`, `(a|b*)*`. */
function hasNestedRepetition(source: string): boolean {
  const open: { repeats: boolean }[] = [];
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!;
    if (character === "\\") at++;
    else if (inClass) inClass = character !== "]";
    else if (character === "[") {
      inClass = true;
      if (source[at + 1] === "^") at++;
      if (source[at + 1] === "]") at++;
    } else if (character === "(") open.push({ repeats: false });
    else if (character === ")") {
      const group = open.pop();
      const repeated = unbounded(source, at + 1);
      // A separator that the group must begin with, as in `(\.[a-z]+)*`, keeps the ways of matching apart.
      if (group?.repeats && repeated && !beginsWithSeparator(source, at)) return true;
      if (group?.repeats || repeated) for (const outer of open) outer.repeats = true;
    } else if (unbounded(source, at)) for (const group of open) group.repeats = true;
  }
  return false;
}

function unbounded(source: string, at: number): boolean {
  const character = source[at];
  return character === "*" || character === "+" || /^\{\d*,\}/.test(source.slice(at, at + 12));
}

function beginsWithSeparator(source: string, close: number): boolean {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    if (source[at - 1] === "\\") continue;
    if (source[at] === ")") depth++;
    else if (source[at] === "(" && --depth === 0) return /^(?:\?:)?(?:\\[.\-/:]|[/:\-,@])/.test(source.slice(at + 1));
  }
  return false;
}
