/** Asks again every 20 ms until `check` says true, at most `seconds`. What it throws counts as "not yet". */
export async function eventually(what: string, seconds: number, check: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  let last: unknown;
  for (;;) {
    try {
      if (await check()) return;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end)
      throw new Error(`${what}: not within ${seconds} s${last === undefined ? "" : ` (${String(last)})`}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
