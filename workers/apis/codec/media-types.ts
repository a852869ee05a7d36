export const jsonMediaType = "application/json";
export const yamlMediaType = "application/yaml";
export const protobufMediaType = "application/vnd.kubernetes.protobuf";
/** Upstream's feature CBORServingAndStorage, alpha: understood when asked for, not named among what is accepted. */
export const cborMediaType = "application/cbor";
export const cborSequenceMediaType = "application/cbor-seq";

/** Bodies that built-in kinds may come in, in upstream's order. */
export const acceptedMediaTypes: readonly string[] = [jsonMediaType, yamlMediaType, protobufMediaType];

/** Type and subtype in lower case, without parameters. */
export function bareMediaType(mediaType: string): string {
  const end = mediaType.indexOf(";");
  return (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
}
