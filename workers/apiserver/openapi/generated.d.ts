/** Stands in for the build's output where that has not been written yet. */
declare module "*/.generated/docs.json" {
  const docs: { hash: string; structs: Record<string, unknown[]>; parameters: Record<string, string> };
  export default docs;
}
