/**
 * A document that does not fit its type. `message` is Go's encoding/json text; `converterMessage` is the text of
 * runtime.DefaultUnstructuredConverter for the same misfit, which strategic merge patches answer with.
 */
export class UnmarshalError extends Error {
  readonly converterMessage: string;

  constructor(message: string, converterMessage = message) {
    super(message);
    this.name = "UnmarshalError";
    this.converterMessage = converterMessage;
  }
}

/** Unknown and duplicate fields under strict validation (runtime.NewStrictDecodingError). */
export function strictDecodingMessage(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(", ")}`;
}
