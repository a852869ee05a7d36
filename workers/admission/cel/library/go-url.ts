/** The parts of Go's url.URL that the URL library shows. */
export interface GoUrl {
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  readonly escapedPath: string;
  readonly rawQuery: string;
}

const hostPattern = /^(?:\[[0-9A-Fa-f:.]+(?:%25[^\]]+)?\]|[^[\]\s<>"\\^`{|}:/?#@]*)(?::\d*)?$/;
const validPath = /^(?:[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]]|%[0-9A-Fa-f]{2})*$/;

/** Go's url.ParseRequestURI; the message of its error when the text is none. */
export function parseRequestUri(text: string): GoUrl | string {
  if (text === "") return "empty url";
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return "net/url: invalid control character in URL";
  if (text.startsWith(":")) return "missing protocol scheme";
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
  let rest = scheme === "" ? text : text.slice(scheme.length + 1);
  const question = rest.indexOf("?");
  const rawQuery = question === -1 ? "" : rest.slice(question + 1);
  if (question !== -1) rest = rest.slice(0, question);
  if (!rest.startsWith("/")) {
    return scheme === ""
      ? "invalid URI for request"
      : { scheme: scheme.toLowerCase(), host: "", escapedPath: "", rawQuery };
  }
  let host = "";
  if (scheme !== "" && rest.startsWith("//")) {
    const end = rest.indexOf("/", 2);
    const authority = end === -1 ? rest.slice(2) : rest.slice(2, end);
    rest = end === -1 ? "" : rest.slice(end);
    const at = authority.lastIndexOf("@");
    host = authority.slice(at + 1);
    if (!hostPattern.test(host)) return hostError(host);
    if (at !== -1 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at)))
      return "net/url: invalid userinfo";
  }
  if (/%(?![0-9A-Fa-f]{2})/.test(rest))
    return `invalid URL escape "${/%(?![0-9A-Fa-f]{2})[\s\S]{0,2}/.exec(rest)?.[0] ?? ""}"`;
  return { scheme: scheme.toLowerCase(), host, escapedPath: validPath.test(rest) ? rest : escapePath(rest), rawQuery };
}

function hostError(host: string): string {
  const port = /:([^:\]]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return `invalid port ":${port}" after host`;
  return `invalid character ${JSON.stringify(/[\s<>"\\^`{|}[\]]/.exec(host)?.[0] ?? " ")} in host name`;
}

const encoder = new TextEncoder();

function escapePath(path: string): string {
  const bytes = unescapeBytes(path);
  let out = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    out +=
      byte < 0x80 && /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}

function unescapeBytes(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < text.length;) {
    if (text[at] === "%") {
      bytes.push(parseInt(text.slice(at + 1, at + 3), 16));
      at += 3;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    bytes.push(...encoder.encode(character));
    at += character.length;
  }
  return Uint8Array.from(bytes);
}

export function hostnameOf(host: string): string {
  if (host.startsWith("[")) return host.slice(1, Math.max(host.indexOf("]"), 1));
  const colon = host.indexOf(":");
  return colon === -1 ? host : host.slice(0, colon);
}

export function portOf(host: string): string {
  return /^(?:\[[^\]]*\]|[^:]*):(\d*)$/.exec(host)?.[1] ?? "";
}

/** Values by name in the order of the text; malformed pairs are dropped. */
export function parseQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function decode(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return new TextDecoder().decode(unescapeBytes(text.replaceAll("+", " ")));
}
