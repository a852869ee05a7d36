/**
 * Checks of names, labels and other short strings. Each returns the list of problems, [] when the value is good, in
 * the words that clients see. Mirrors k8s.io/apimachinery pkg/api/validate/content and pkg/util/validation (1.36).
 * Lengths are in bytes of UTF-8.
 */

const dns1123LabelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dns1123SubdomainPattern = `${dns1123LabelPattern}(\\.${dns1123LabelPattern})*`;
const dns1123LabelWithUnderscorePattern = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const dns1123SubdomainWithUnderscorePattern = `${dns1123LabelWithUnderscorePattern}(\\.${dns1123LabelWithUnderscorePattern})*`;
const wildcardDns1123SubdomainPattern = `\\*\\.${dns1123SubdomainPattern}`;
const dns1035LabelPattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
const labelKeyPattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValuePattern = `(${labelKeyPattern})?`;
const cIdentifierPattern = "[A-Za-z_][A-Za-z0-9_]*";
const percentPattern = "[0-9]+%";
const httpHeaderNamePattern = "[-A-Za-z0-9]+";
const envVarNamePattern = "[-._a-zA-Z][-._a-zA-Z0-9]*";
const configMapKeyPattern = "[-._a-zA-Z0-9]+";

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

const dns1123Label = whole(dns1123LabelPattern);
const dns1123Subdomain = whole(dns1123SubdomainPattern);
const dns1123SubdomainWithUnderscore = whole(dns1123SubdomainWithUnderscorePattern);
const wildcardDns1123Subdomain = whole(wildcardDns1123SubdomainPattern);
const dns1035Label = whole(dns1035LabelPattern);
const labelKey = whole(labelKeyPattern);
const labelValue = whole(labelValuePattern);
const cIdentifier = whole(cIdentifierPattern);
const percent = whole(percentPattern);
const httpHeaderName = whole(httpHeaderNamePattern);
const envVarName = whole(envVarNamePattern);
const configMapKey = whole(configMapKeyPattern);

const labelKeyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

export const dns1123LabelMaxLength = 63;
export const dns1123SubdomainMaxLength = 253;
export const dns1035LabelMaxLength = 63;
export const labelValueMaxLength = 63;

const utf8 = new TextEncoder();

/** Bytes of UTF-8, which is what Go's len counts. */
export function byteLength(value: string): number {
  return /^[\0-\x7f]*$/.test(value) ? value.length : utf8.encode(value).length;
}

export function maxLenError(length: number): string {
  return `must be no more than ${length} bytes`;
}

export function regexError(message: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

export function emptyError(): string {
  return "must be non-empty";
}

export function inclusiveRangeError(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

/** RFC 1123 label: namespaces, containers, most parts of DNS names. */
export function isDns1123Label(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > dns1123LabelMaxLength) errors.push(maxLenError(dns1123LabelMaxLength));
  if (!dns1123Label.test(value)) {
    errors.push(
      dns1123Subdomain.test(value)
        ? "must not contain dots"
        : regexError(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            dns1123LabelPattern,
            "my-name",
            "123-abc",
          ),
    );
  }
  return errors;
}

/** RFC 1123 subdomain: the names of most objects. */
export function isDns1123Subdomain(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > dns1123SubdomainMaxLength) errors.push(maxLenError(dns1123SubdomainMaxLength));
  if (!dns1123Subdomain.test(value)) {
    errors.push(
      regexError(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        dns1123SubdomainPattern,
        "example.com",
      ),
    );
  }
  return errors;
}

export function isDns1123SubdomainWithUnderscore(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > dns1123SubdomainMaxLength) errors.push(maxLenError(dns1123SubdomainMaxLength));
  if (!dns1123SubdomainWithUnderscore.test(value)) {
    errors.push(
      regexError(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
        dns1123SubdomainWithUnderscorePattern,
        "example.com",
      ),
    );
  }
  return errors;
}

/** `*.` and a subdomain: ingress hosts. */
export function isWildcardDns1123Subdomain(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > dns1123SubdomainMaxLength) errors.push(maxLenError(dns1123SubdomainMaxLength));
  if (!wildcardDns1123Subdomain.test(value)) {
    errors.push(
      regexError(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        wildcardDns1123SubdomainPattern,
        "*.example.com",
      ),
    );
  }
  return errors;
}

/** RFC 1035 label: services. */
export function isDns1035Label(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > dns1035LabelMaxLength) errors.push(maxLenError(dns1035LabelMaxLength));
  if (!dns1035Label.test(value)) {
    errors.push(
      regexError(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        dns1035LabelPattern,
        "my-name",
        "abc-123",
      ),
    );
  }
  return errors;
}

/** `name` or `prefix/name`: keys of labels, annotations, taints, resources, finalizers, condition types. */
export function isLabelKey(value: string): string[] {
  const errors: string[] = [];
  const parts = value.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${regexError(labelKeyMessage, labelKeyPattern, "MyName", "my.name", "123-abc")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts[parts.length - 1]!;
  if (parts.length === 2) {
    const prefix = parts[0]!;
    if (prefix === "") errors.push(`prefix part ${emptyError()}`);
    else errors.push(...isDns1123Subdomain(prefix).map((text) => `prefix part ${text}`));
  }
  if (name === "") errors.push(`name part ${emptyError()}`);
  else if (byteLength(name) > labelValueMaxLength) errors.push(`name part ${maxLenError(labelValueMaxLength)}`);
  if (!labelKey.test(name)) {
    errors.push(`name part ${regexError(labelKeyMessage, labelKeyPattern, "MyName", "my.name", "123-abc")}`);
  }
  return errors;
}

export function isLabelValue(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > labelValueMaxLength) errors.push(maxLenError(labelValueMaxLength));
  if (!labelValue.test(value)) {
    errors.push(
      regexError(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        labelValuePattern,
        "MyValue",
        "my_value",
        "12345",
      ),
    );
  }
  return errors;
}

export function isCIdentifier(value: string): string[] {
  if (cIdentifier.test(value)) return [];
  return [
    regexError(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
      cIdentifierPattern,
      "my_name",
      "MY_NAME",
      "MyName",
    ),
  ];
}

export function isValidPortNum(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : [inclusiveRangeError(1, 65535)];
}

export function isInRange(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [inclusiveRangeError(low, high)];
}

/** IANA service name in lower case: named ports. */
export function isValidPortName(port: string): string[] {
  const errors: string[] = [];
  if (byteLength(port) > 15) errors.push(maxLenError(15));
  if (!/^[-a-z0-9]+$/.test(port)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(port)) errors.push("must contain at least one letter (a-z)");
  if (port.includes("--")) errors.push("must not contain consecutive hyphens");
  if (port.startsWith("-") || port.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

export function isValidPercent(value: string): string[] {
  if (percent.test(value)) return [];
  return [
    regexError(
      "a valid percent string must be a numeric string followed by an ending '%'",
      percentPattern,
      "1%",
      "93%",
    ),
  ];
}

export function isHttpHeaderName(value: string): string[] {
  if (httpHeaderName.test(value)) return [];
  return [
    regexError(
      "a valid HTTP header must consist of alphanumeric characters or '-'",
      httpHeaderNamePattern,
      "X-Header-Name",
    ),
  ];
}

export function isEnvVarName(value: string): string[] {
  const errors: string[] = [];
  if (!envVarName.test(value)) {
    errors.push(
      regexError(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
        envVarNamePattern,
        "my.env-name",
        "MY_ENV.NAME",
        "MyEnvName1",
      ),
    );
  }
  errors.push(...chDirPrefix(value));
  return errors;
}

/** What pods may use since RelaxedEnvironmentVariableValidation: any printable ASCII but '='. */
export function isRelaxedEnvVarName(value: string): string[] {
  const errors: string[] = [];
  if (value === "") errors.push(`environment variable name ${emptyError()}`);
  if (!/^[\x20-\x3c\x3e-\x7e]*$/.test(value)) {
    errors.push("a valid environment variable name must consist only of printable ASCII characters other than '='");
  }
  return errors;
}

/** Keys of config maps and secrets. */
export function isConfigMapKey(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > dns1123SubdomainMaxLength) errors.push(maxLenError(dns1123SubdomainMaxLength));
  if (!configMapKey.test(value)) {
    errors.push(
      regexError(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        configMapKeyPattern,
        "key.name",
        "KEY_NAME",
        "key-name",
      ),
    );
  }
  errors.push(...chDirPrefix(value));
  return errors;
}

function chDirPrefix(value: string): string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  if (value.startsWith("..")) return ["must not start with '..'"];
  return [];
}

/** A name that can stand in a URL path: the kinds whose names are not DNS names (RBAC, CSRs). */
export function isValidPathSegmentName(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return isValidPathSegmentPrefix(name);
}

/** As {@link isValidPathSegmentName} for a generateName, to which a suffix will be added. */
export function isValidPathSegmentPrefix(name: string): string[] {
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

/**
 * Runs a name check on a generateName: a trailing dash stands for the suffix to come.
 * Mirrors maskTrailingDash of k8s.io/apimachinery pkg/api/validation/generic.go.
 */
export function validateNamePrefix(prefix: string, check: (value: string) => string[]): string[] {
  return check(prefix.length > 1 && prefix.endsWith("-") ? prefix.slice(0, -1) + "a" : prefix);
}
