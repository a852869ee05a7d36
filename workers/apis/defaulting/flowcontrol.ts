import { ensureObject, setDefault, setDefaultNumber, type Json } from "./set-default.ts";

/* Mirrors pkg/apis/flowcontrol/v1/defaults.go (1.36). */

export function defaultFlowSchema(schema: Json): void {
  setDefaultNumber(ensureObject(schema, "spec"), "matchingPrecedence", 1000);
}

export function defaultPriorityLevelConfiguration(configuration: Json): void {
  const { limited, exempt } = configuration["spec"] ?? {};
  if (limited) {
    setDefault(limited, "nominalConcurrencyShares", 30);
    setDefault(limited, "lendablePercent", 0);
    const queuing: Json | undefined = limited.limitResponse?.queuing;
    if (queuing) {
      setDefaultNumber(queuing, "handSize", 8);
      setDefaultNumber(queuing, "queues", 64);
      setDefaultNumber(queuing, "queueLengthLimit", 50);
    }
  }
  if (exempt) {
    setDefault(exempt, "nominalConcurrencyShares", 0);
    setDefault(exempt, "lendablePercent", 0);
  }
}
