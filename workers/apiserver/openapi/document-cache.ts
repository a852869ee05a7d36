/** Encoded documents, the least recently used ones dropped beyond `maxBytes`. */
export class DocumentCache {
  readonly #maxBytes: number;
  readonly #documents = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  getOrBuild(key: string, build: () => Uint8Array): Uint8Array {
    let document = this.#documents.get(key);
    if (document) this.#documents.delete(key);
    else {
      document = build();
      this.#bytes += document.byteLength;
    }
    this.#documents.set(key, document);
    for (const [oldest, dropped] of this.#documents) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.#documents.delete(oldest);
      this.#bytes -= dropped.byteLength;
    }
    return document;
  }
}
