import type { AppContext } from "../request/context.ts";
import type { ExtensionsContext } from "./snapshot.ts";

export function extensionsContext(c: AppContext): ExtensionsContext {
  return { storage: c.get("storage"), clock: c.env.clock };
}
