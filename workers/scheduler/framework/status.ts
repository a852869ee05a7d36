/** Outcome codes of plugins. Mirrors k8s.io/kube-scheduler framework/interface.go (1.36). */
export type Code = "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";

/** What a plugin answers. Success without a message is `undefined` everywhere, so that the hot path allocates nothing. */
export class Status {
  readonly code: Code;
  readonly reasons: readonly string[];
  /** Set by the framework when the plugin left it empty. */
  plugin: string;
  readonly error: unknown;

  constructor(code: Code, reasons: readonly string[] = [], plugin = "", error?: unknown) {
    this.code = code;
    this.reasons = reasons;
    this.plugin = plugin;
    this.error = error;
  }

  get message(): string {
    return this.reasons.join(", ");
  }
}

export type MaybeStatus = Status | undefined;

export function unschedulable(plugin: string, ...reasons: string[]): Status {
  return new Status("Unschedulable", reasons, plugin);
}

export function unresolvable(plugin: string, ...reasons: string[]): Status {
  return new Status("UnschedulableAndUnresolvable", reasons, plugin);
}

export function asStatus(error: unknown, plugin = ""): Status {
  return new Status("Error", [error instanceof Error ? error.message : String(error)], plugin, error);
}

export const skip = (plugin: string): Status => new Status("Skip", [], plugin);

export function isSuccess(status: MaybeStatus): status is undefined {
  return status === undefined || status.code === "Success";
}

/** Rejected by a plugin, as opposed to failed with an error. */
export function isRejected(status: MaybeStatus): boolean {
  return (
    status !== undefined &&
    (status.code === "Unschedulable" || status.code === "UnschedulableAndUnresolvable" || status.code === "Pending")
  );
}
