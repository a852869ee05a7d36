import { clientNodeDocs, kubernetesModelsDocs, parameterDocs } from "./model-docs.mjs";

const capital = (text) => text[0].toUpperCase() + text.slice(1);

const definitionPrefixes = {
  meta: "apimachinery.pkg.apis.",
  apiextensions: "apiextensions-apiserver.pkg.apis.",
  apiregistration: "kube-aggregator.pkg.apis.",
};

/** `core/v1.Pod` → `IoK8sApiCoreV1Pod`. */
function camelDefinitionName(shortName) {
  const group = shortName.slice(0, shortName.indexOf("/"));
  return `io.k8s.${definitionPrefixes[group] ?? "api."}${shortName.replace("/", ".")}`
    .split(/[.-]/)
    .map(capital)
    .join("");
}

/** Client-node's class of a struct: the group stands before the version only where names would clash. */
function classOf(shortName, fields, classes) {
  const [, group, version, name] = /^([\w-]+)\/(\w+)\.(\w+)$/.exec(shortName);
  const fits = (candidate) =>
    candidate && Object.keys(candidate.fields).every((field) => fields.includes(field)) ? candidate : undefined;
  const unprefixed = `${capital(version)}${name}`;
  return fits(classes.get(`${capital(group)}${unprefixed}`)) ?? fits(classes.get(unprefixed));
}

/** Fills gaps, all of them in unstable versions, with the text that the same field has in another version. */
function borrowFromOtherVersions(docs, structs) {
  const related = new Map();
  const keyOf = (shortName) => shortName.replace(/\/v\w+\./, ".");
  for (const shortName of Object.keys(docs))
    related.set(keyOf(shortName), [...(related.get(keyOf(shortName)) ?? []), shortName]);
  for (const [shortName, lines] of Object.entries(structs))
    for (const line of lines) {
      const [name] = line.split(" ");
      if (name.startsWith("@") || docs[shortName][1][name]) continue;
      const other = related.get(keyOf(shortName)).find((candidate) => docs[candidate][1][name]);
      if (other) docs[shortName][1][name] = docs[other][1][name];
    }
}

/**
 * Descriptions by struct and field of the table in workers/apis/facts/types.json:
 * {structs: {"core/v1.Pod": [text, {field: text}]}, parameters: {name: text}}.
 */
export function buildDocs(structs, folders) {
  const classes = clientNodeDocs(folders.clientNode);
  const models = kubernetesModelsDocs(folders.kubernetesModels, folders.apimachinery);
  const docs = {};
  for (const [shortName, lines] of Object.entries(structs)) {
    const fields = lines.filter((line) => !line.startsWith("@")).map((line) => line.split(" "));
    const names = fields.map(([name]) => name);
    const fromClass = classOf(shortName, names, classes);
    const fromModel = models.get(camelDefinitionName(shortName));
    const texts = {};
    for (const name of names) {
      const text = fromClass?.fields[name] || fromModel?.fields[name];
      if (text) texts[name] = text;
    }
    docs[shortName] = [fromClass?.doc || fromModel?.doc || "", texts];
  }
  borrowFromOtherVersions(docs, structs);
  return { structs: docs, parameters: parameterDocs(folders.clientNode) };
}
