/**
 * Reads the descriptions of the built-in types out of the declaration files of two npm packages: @kubernetes/client-node
 * (every version, but no text on fields that are references) and kubernetes-models (stable versions, all fields).
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const htmlEntities = {
  "&#39;": "'",
  "&#x60;": "`",
  "&#x3D;": "=",
  "&quot;": '"',
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
};

function commentText(comment) {
  return comment
    .replace(/^[ \t]*\*(?!\/) ?/gm, "")
    .trim()
    .replace(/&(?:#39|#x60|#x3D|quot|lt|gt|amp);/g, (entity) => htmlEntities[entity])
    .replace(/\\(['"\\])/g, "$1")
    .replaceAll("*_/", "*/");
}

const comment = String.raw`\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*`;

function parseDeclaration(source, head, fieldPattern) {
  const start = source.search(head);
  if (start < 0) return undefined;
  const before = source.slice(0, start);
  const own = new RegExp(`${comment}$`).exec(before)?.[1];
  const fields = {};
  const pattern = new RegExp(`(?:${comment})?${fieldPattern}`, "gm");
  const body = source.slice(start, source.indexOf("\n}", start));
  for (const match of body.matchAll(pattern)) fields[match[2]] = match[1] ? commentText(match[1]) : "";
  return { doc: own ? commentText(own) : "", fields };
}

/** Class name (V1Pod) → {doc, fields}. Properties that are not valid identifiers are named by their JSON name. */
export function clientNodeDocs(packageFolder) {
  const folder = join(packageFolder, "dist/gen/models");
  const docs = new Map();
  for (const file of readdirSync(folder)) {
    const name = /^((?:[A-Z]\w*)?V\d\w*)\.d\.ts$/.exec(file)?.[1];
    if (!name) continue;
    const declaration = parseDeclaration(
      readFileSync(join(folder, file), "utf8"),
      /export declare class /,
      String.raw`^ {4}'_?([\w$-]+)'\??: `,
    );
    if (declaration) docs.set(name, declaration);
  }
  return docs;
}

/** Query and path parameter → description. */
export function parameterDocs(packageFolder) {
  const source = readFileSync(join(packageFolder, "dist/gen/apis/CoreV1Api.d.ts"), "utf8");
  const docs = {};
  for (const [, name, text] of source.matchAll(/^ {5}\* @param (\w+) (.+)$/gm))
    docs[name.replace(/^_/, "")] ??= commentText(text);
  delete docs.body;
  return docs;
}

/** Definition name in camel case (IoK8sApiCoreV1Pod) → {doc, fields}. */
export function kubernetesModelsDocs(...packageFolders) {
  const docs = new Map();
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== "_schemas" && entry.name !== "node_modules") walk(path);
        continue;
      }
      if (!entry.name.endsWith(".d.ts") || entry.name === "index.d.ts") continue;
      const source = readFileSync(path, "utf8");
      const name = /export type \{ I\w+ as I(IoK8s\w+)/.exec(source)?.[1];
      if (!name) continue;
      const declaration = parseDeclaration(source, /export interface I\w+/, String.raw`^ {4}"([^"]+)"\??: `);
      if (declaration) docs.set(name, declaration);
    }
  };
  for (const folder of packageFolders) walk(folder);
  return docs;
}
