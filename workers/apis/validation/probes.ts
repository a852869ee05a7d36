import { forbidden, invalid, required } from "../../apimachinery/field-error.ts";
import { isHttpHeaderName } from "../../apimachinery/validation-names.ts";
import { isSet, listOf, nonnegative, numberOf, supportedEnum, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validatePortNumOrName } from "./ports.ts";

/** Probes and lifecycle hooks. Mirrors validateProbe, validateHandler of pkg/apis/core/validation (1.36). */
export function validateProbes(container: any, gracePeriod: number | undefined, path: string, causes: Causes): void {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (livenessProbe) {
    validateProbe(livenessProbe, gracePeriod, `${path}.livenessProbe`, causes);
    oneSuccess(livenessProbe, `${path}.livenessProbe`, causes);
  }
  if (readinessProbe) {
    validateProbe(readinessProbe, gracePeriod, `${path}.readinessProbe`, causes);
    if (isSet(readinessProbe.terminationGracePeriodSeconds)) {
      causes.push(
        invalid(
          `${path}.readinessProbe.terminationGracePeriodSeconds`,
          readinessProbe.terminationGracePeriodSeconds,
          "must not be set for readinessProbes",
        ),
      );
    }
  }
  if (startupProbe) {
    validateProbe(startupProbe, gracePeriod, `${path}.startupProbe`, causes);
    oneSuccess(startupProbe, `${path}.startupProbe`, causes);
  }
}

function oneSuccess(probe: any, path: string, causes: Causes): void {
  if (probe.successThreshold !== 1) {
    causes.push(invalid(`${path}.successThreshold`, numberOf(probe.successThreshold), "must be 1"));
  }
}

const probeHandlers = ["exec", "httpGet", "tcpSocket", "grpc"];
const hookHandlers = ["exec", "httpGet", "tcpSocket", "sleep"];
const probeNumbers = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];

function validateProbe(probe: any, gracePeriod: number | undefined, path: string, causes: Causes): void {
  validateHandler(probe, probeHandlers, gracePeriod, path, causes);
  for (const name of probeNumbers) if (probe[name] < 0) nonnegative(probe[name], `${path}.${name}`, causes);
  const seconds = probe.terminationGracePeriodSeconds;
  if (isSet(seconds) && seconds <= 0) {
    causes.push(invalid(`${path}.terminationGracePeriodSeconds`, seconds, "must be greater than 0"));
  }
}

export function validateLifecycle(lifecycle: any, gracePeriod: number | undefined, path: string, causes: Causes): void {
  for (const hook of ["postStart", "preStop"]) {
    if (lifecycle[hook]) validateHandler(lifecycle[hook], hookHandlers, gracePeriod, `${path}.${hook}`, causes);
  }
}

function validateHandler(
  handler: any,
  kinds: string[],
  gracePeriod: number | undefined,
  path: string,
  causes: Causes,
): void {
  let found = false;
  for (const kind of kinds) {
    const action = handler[kind];
    if (!isSet(action)) continue;
    if (found) causes.push(forbidden(`${path}.${kind}`, "may not specify more than 1 handler type"));
    else validateAction(kind, action, gracePeriod, `${path}.${kind}`, causes);
    found = true;
  }
  if (!found) causes.push(required(path, "must specify a handler type"));
}

function validateAction(
  kind: string,
  action: any,
  gracePeriod: number | undefined,
  path: string,
  causes: Causes,
): void {
  switch (kind) {
    case "exec":
      if (listOf(action.command).length === 0) causes.push(required(`${path}.command`));
      break;
    case "httpGet":
      if (!action.path) causes.push(required(`${path}.path`));
      validatePortNumOrName(action.port, `${path}.port`, causes);
      supportedEnum(action.scheme, ["HTTP", "HTTPS"], `${path}.scheme`, causes);
      for (const header of listOf(action.httpHeaders)) {
        const name = textOf(header.name);
        for (const text of isHttpHeaderName(name)) causes.push(invalid(`${path}.httpHeaders`, name, text));
      }
      break;
    case "sleep": {
      const seconds = numberOf(action.seconds);
      if (gracePeriod !== undefined && (seconds < 0 || seconds > gracePeriod)) {
        causes.push(
          invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`),
        );
      }
      break;
    }
    default:
      validatePortNumOrName(action.port, `${path}.port`, causes);
  }
}
