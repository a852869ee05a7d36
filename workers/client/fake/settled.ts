/**
 * Resolves when every promise callback that can run without time passing has run. For tests of loops whose chains of
 * promises are longer than FakeClock.advance follows.
 */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
