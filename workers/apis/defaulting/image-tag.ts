/** The pull policy of an image reference: Always for the tag `latest` or no tag and no digest. */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

/** Mirrors ParseImageName of pkg/util/parsers/parsers.go (1.36): a bare digest has no tag, a bad reference neither. */
function imageTag(image: string): string {
  const match = reference.exec(image);
  if (match === null) return "";
  const [, , tag, digest] = match;
  if (tag !== undefined) return tag;
  return digest === undefined ? "latest" : "";
}

const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const domain = "(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?";
const reference = new RegExp(
  `^((?:${domain}/)?${component}(?:/${component})*)(?::(\\w[\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
