const keywords = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const escapable = /^[A-Za-z_][A-Za-z0-9_.\-/]*$/;
const replacements: Record<string, string> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};
const originals: Record<string, string> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/** A property name as an identifier; undefined where there is none. Mirrors k8s.io/apiserver pkg/cel/escaping.go (1.36). */
export function escapeProperty(name: string): string | undefined {
  if (!escapable.test(name)) return undefined;
  if (keywords.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[.\-/]/g, (found) => replacements[found] ?? found);
}

export function unescapeProperty(identifier: string): string {
  const keyword = /^__([a-z]+)__$/.exec(identifier)?.[1];
  if (keyword !== undefined && keywords.has(keyword)) return keyword;
  return identifier.replaceAll(/__(underscores|dot|dash|slash)__/g, (found, name: string) => originals[name] ?? found);
}
