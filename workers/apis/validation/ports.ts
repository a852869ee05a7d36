import { duplicate, invalid, required } from "../../apimachinery/field-error.ts";
import { isValidPortName, isValidPortNum } from "../../apimachinery/validation-names.ts";
import { listOf, requiredEnum, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

export const protocols = ["SCTP", "TCP", "UDP"];

export function validatePortNum(port: unknown, path: string, causes: Causes): void {
  const number = typeof port === "number" ? port : 0;
  for (const text of isValidPortNum(number)) causes.push(invalid(path, number, text));
}

/** An IntOrString: a port's number, or the name of a container's port. */
export function validatePortNumOrName(port: unknown, path: string, causes: Causes): void {
  if (typeof port !== "string") return validatePortNum(port, path, causes);
  for (const text of isValidPortName(port)) causes.push(invalid(path, port, text));
}

/** Mirrors validateContainerPorts of pkg/apis/core/validation (1.36). */
export function validateContainerPorts(ports: any[], path: string, causes: Causes): void {
  const names = new Set<string>();
  for (let index = 0; index < ports.length; index++) {
    const port = ports[index];
    if (port.name) {
      const field = `${path}[${index}].name`;
      const problems = isValidPortName(port.name);
      for (const text of problems) causes.push(invalid(field, port.name, text));
      if (problems.length === 0) {
        if (names.has(port.name)) causes.push(duplicate(field, port.name));
        names.add(port.name);
      }
    }
    if (!port.containerPort) causes.push(required(`${path}[${index}].containerPort`));
    else validatePortNum(port.containerPort, `${path}[${index}].containerPort`, causes);
    if (port.hostPort) validatePortNum(port.hostPort, `${path}[${index}].hostPort`, causes);
    requiredEnum(port.protocol, protocols, `${path}[${index}].protocol`, causes);
  }
}

/** A host's port can be taken once. Mirrors checkHostPortConflicts. */
export function checkHostPortConflicts(containers: any[], path: string, causes: Causes): void {
  let taken: Set<string> | undefined;
  for (const [index, container] of containers.entries()) {
    for (const [at, port] of listOf(container.ports).entries()) {
      if (!port.hostPort) continue;
      const key = `${textOf(port.protocol)}/${textOf(port.hostIP)}/${port.hostPort}`;
      taken ??= new Set();
      if (taken.has(key)) causes.push(duplicate(`${path}[${index}].ports[${at}].hostPort`, key));
      taken.add(key);
    }
  }
}
