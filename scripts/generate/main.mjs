/**
 * Writes `.generated/docs.json`: the descriptions that OpenAPI documents and `kubectl explain` show, taken from npm
 * packages at build so that the repository holds facts only. Does nothing when the file is up to date.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildDocs } from "./docs.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const typesFile = join(root, "workers/apis/facts/types.json");
const outputFile = join(root, ".generated/docs.json");
const folders = {
  clientNode: join(root, "node_modules/@kubernetes/client-node"),
  kubernetesModels: join(root, "node_modules/kubernetes-models"),
  apimachinery: join(root, "node_modules/@kubernetes-models/apimachinery"),
};

/** Changes with everything that OpenAPI documents of built-in types are made of; clients cache them under it. */
function inputHash() {
  const hash = createHash("sha256");
  const sources = [
    join(root, "scripts/generate"),
    join(root, "workers/apiserver/openapi"),
    join(root, "workers/apis/facts"),
  ].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.(?:mjs|ts|json)$/.test(name) && !name.endsWith(".test.ts"))
      .sort()
      .map((name) => join(folder, name)),
  );
  for (const file of [...sources, ...Object.values(folders).map((folder) => join(folder, "package.json"))])
    hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function currentHash() {
  try {
    return JSON.parse(readFileSync(outputFile, "utf8")).hash;
  } catch {
    return undefined;
  }
}

/** Returns whether the file was written. */
export function generate() {
  const hash = inputHash();
  if (currentHash() === hash) return false;
  const { structs } = JSON.parse(readFileSync(typesFile, "utf8"));
  const docs = { hash, ...buildDocs(structs, folders) };
  mkdirSync(dirname(outputFile), { recursive: true });
  const temporary = `${outputFile}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(docs)}\n`);
  renameSync(temporary, outputFile);
  return true;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) generate();
