import type { StorageErrorShape } from "./interfaces.ts";

/** The only error that a Storage throws. Made from the plain shape that crosses RPC. */
export class StorageError extends Error {
  readonly shape: StorageErrorShape;

  constructor(shape: StorageErrorShape) {
    super(shape.code === "Unavailable" ? shape.message : JSON.stringify(shape, withoutValue));
    this.name = "StorageError";
    this.shape = shape;
  }
}

function withoutValue(key: string, value: unknown): unknown {
  return key === "current" ? undefined : value;
}

export function isStorageError<C extends StorageErrorShape["code"]>(
  error: unknown,
  code: C,
): error is StorageError & { shape: Extract<StorageErrorShape, { code: C }> } {
  return error instanceof StorageError && error.shape.code === code;
}
