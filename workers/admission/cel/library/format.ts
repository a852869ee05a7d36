import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isLabelKey,
  validateNamePrefix,
} from "../../../apimachinery/validation-names.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { listOf, opaque, optionalOf, stringType } from "../types.ts";
import { ArrayList, CelOptional, OpaqueValue, optionalNone } from "../values.ts";
import { parseRequestUri } from "./go-url.ts";
import { parseTimestamp } from "./time.ts";

type Validate = (text: string) => string[];

export class FormatValue extends OpaqueValue {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  readonly validate: Validate;
  override readonly size: number;

  constructor(name: string, validate: Validate, maxPatternSize: number) {
    super();
    this.name = name;
    this.validate = validate;
    this.size = maxPatternSize;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

export const formatType = opaque("kubernetes.NamedFormat");

const uuid = /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;

function check(test: (text: string) => boolean, message: string): Validate {
  return (text) => (test(text) ? [] : [message]);
}

/** Name, validation, and the length of the pattern that its cost is reckoned from. */
const formats: readonly FormatValue[] = [
  new FormatValue("dns1123Label", isDns1123Label, 30),
  new FormatValue("dns1123Subdomain", isDns1123Subdomain, 60),
  new FormatValue("dns1035Label", isDns1035Label, 30),
  new FormatValue("qualifiedName", isLabelKey, 60),
  new FormatValue("dns1123LabelPrefix", (text) => validateNamePrefix(text, isDns1123Label), 30),
  new FormatValue("dns1123SubdomainPrefix", (text) => validateNamePrefix(text, isDns1123Subdomain), 60),
  new FormatValue("dns1035LabelPrefix", (text) => validateNamePrefix(text, isDns1035Label), 30),
  new FormatValue("labelValue", isLabelValue, 40),
  new FormatValue(
    "uri",
    (text) => {
      const parsed = parseRequestUri(text);
      return typeof parsed === "string" ? [parsed] : [];
    },
    80,
  ),
  new FormatValue(
    "uuid",
    check((text) => uuid.test(text), "does not match the UUID format"),
    50,
  ),
  new FormatValue(
    "byte",
    check((text) => base64.test(text), "invalid base64"),
    50,
  ),
  new FormatValue("date", check(isDate, "invalid date"), 50),
  new FormatValue(
    "datetime",
    check((text) => parseTimestamp(text) !== undefined, "invalid datetime"),
    50,
  ),
];

const byName = new Map(formats.map((format) => [format.name, format]));

function validate(format: FormatValue, text: string): CelOptional {
  const problems = format.validate(text);
  return problems.length === 0 ? optionalNone : new CelOptional(new ArrayList(problems));
}

/** k8s.io/apiserver pkg/cel/library/format.go (1.36). */
export const formatLibrary: readonly NamedOverload[] = [
  func("format-named", "format.named", [stringType], optionalOf(formatType), (name: string) => {
    const format = byName.get(name);
    return format === undefined ? optionalNone : new CelOptional(format);
  }),
  ...formats.map((format) => func(`format-${format.name}`, `format.${format.name}`, [], formatType, () => format)),
  method("format-validate", "validate", [formatType, stringType], optionalOf(listOf(stringType)), validate, (args) => {
    const [format, text] = args;
    const patternCost = Math.ceil((format instanceof FormatValue ? format.size : 1) * 0.25);
    return Math.ceil((1 + String(text).length) * 0.1) * patternCost;
  }),
];
