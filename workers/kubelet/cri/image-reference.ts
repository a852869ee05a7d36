/** A parsed image reference, normalised as the docker/distribution reference package does. */
export interface ImageReference {
  /** `docker.io/library/nginx` */
  name: string;
  tag?: string;
  digest?: string;
}

const pathComponent = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const domain =
  /^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?$/;
const tagPattern = /^[\w][\w.-]{0,127}$/;
const digestPattern = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** Throws an Error with the reference package's message when the text is no reference. */
export function parseImageReference(text: string): ImageReference {
  const at = text.indexOf("@");
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const rest = at < 0 ? text : text.slice(0, at);
  const colon = rest.lastIndexOf(":");
  const hasTag = colon > rest.lastIndexOf("/");
  const tag = hasTag ? rest.slice(colon + 1) : undefined;
  const bare = hasTag ? rest.slice(0, colon) : rest;

  const slash = bare.indexOf("/");
  const first = slash < 0 ? "" : bare.slice(0, slash);
  const isDomain = slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const host = isDomain ? (first === "index.docker.io" ? "docker.io" : first) : "docker.io";
  let path = isDomain ? bare.slice(slash + 1) : bare;
  if (host === "docker.io" && path !== "" && !path.includes("/")) path = `library/${path}`;

  if (path !== path.toLowerCase()) {
    throw new Error(`invalid reference format: repository name (${path}) must be lowercase`);
  }
  const valid =
    domain.test(host) &&
    path.split("/").every((component) => pathComponent.test(component)) &&
    (tag === undefined || tagPattern.test(tag)) &&
    (digest === undefined || digestPattern.test(digest));
  if (!valid) throw new Error("invalid reference format");
  return {
    name: `${host}/${path}`,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The full name as a runtime keeps it: `docker.io/library/nginx:latest`. Throws as {@link parseImageReference}. */
export function normalizedImageName(text: string): string {
  const reference = parseImageReference(text);
  if (reference.digest !== undefined) return `${reference.name}@${reference.digest}`;
  return `${reference.name}:${reference.tag ?? "latest"}`;
}
