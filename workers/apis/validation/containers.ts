import { duplicate, forbidden, invalid, notSupported, required, tooMany } from "../../apimachinery/field-error.ts";
import { dnsLabel, isSet, listOf, requiredEnum, supportedEnum, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import { checkHostPortConflicts, validateContainerPorts } from "./ports.ts";
import { validateLifecycle, validateProbes } from "./probes.ts";
import { validateContainerResources } from "./resources.ts";
import { validateContainerSecurityContext } from "./security-context.ts";
import { validateVolumeDevices, validateVolumeMounts } from "./volume-mounts.ts";
import { pullPolicies } from "./volumes.ts";

/** What the containers of a pod refer to. */
export interface ContainerContext {
  volumes: ReadonlyMap<string, any>;
  claimNames: ReadonlySet<string>;
  gracePeriod: number | undefined;
  restartPolicy: string;
  hostUsers: boolean;
}

/** Mirrors validateContainerCommon of pkg/apis/core/validation (1.36). */
export function validateContainerCommon(container: any, context: ContainerContext, path: string, causes: Causes): void {
  if (!container.name) causes.push(required(`${path}.name`));
  else dnsLabel(container.name, `${path}.name`, causes);
  if (!container.image) causes.push(required(`${path}.image`));
  requiredEnum(
    container.terminationMessagePolicy,
    ["File", "FallbackToLogsOnError"],
    `${path}.terminationMessagePolicy`,
    causes,
  );
  if (container.ports) validateContainerPorts(listOf(container.ports), `${path}.ports`, causes);
  if (container.env) validateEnv(listOf(container.env), `${path}.env`, causes);
  if (container.envFrom) validateEnvFrom(listOf(container.envFrom), `${path}.envFrom`, causes);
  if (container.volumeMounts) validateVolumeMounts(container, context.volumes, `${path}.volumeMounts`, causes);
  if (container.volumeDevices) validateVolumeDevices(container, context.volumes, `${path}.volumeDevices`, causes);
  requiredEnum(container.imagePullPolicy, pullPolicies, `${path}.imagePullPolicy`, causes);
  validateContainerResources(container.resources, context.claimNames, `${path}.resources`, causes);
  if (container.resizePolicy) {
    validateResizePolicy(listOf(container.resizePolicy), context.restartPolicy, `${path}.resizePolicy`, causes);
  }
  validateContainerSecurityContext(container.securityContext, context.hostUsers, `${path}.securityContext`, causes);
}

function validateResizePolicy(policies: any[], restartPolicy: string, path: string, causes: Causes): void {
  const resources = new Set<string>();
  for (const [index, policy] of policies.entries()) {
    const { resourceName } = policy;
    if (resources.has(resourceName)) causes.push(duplicate(`${path}[${index}]`, resourceName));
    resources.add(resourceName);
    requiredEnum(resourceName, ["cpu", "memory"], path, causes);
    requiredEnum(policy.restartPolicy, ["NotRequired", "RestartContainer"], path, causes);
    if (restartPolicy === "Never" && policy.restartPolicy !== "NotRequired") {
      causes.push(invalid(path, textOf(policy.restartPolicy), "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    }
  }
}

const maxRestartRules = 20;
const maxExitCodes = 255;

/** Mirrors validateContainerRestartPolicy: a policy of the container's own, and rules by exit code. */
function validateRestartPolicy(container: any, path: string, causes: Causes): void {
  const { restartPolicy } = container;
  const rules = listOf(container.restartPolicyRules);
  if (!isSet(restartPolicy)) {
    if (rules.length === 0) return;
    causes.push(required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
  } else supportedEnum(restartPolicy, ["Always", "Never", "OnFailure"], `${path}.restartPolicy`, causes);
  if (rules.length > maxRestartRules) causes.push(tooMany(`${path}.restartPolicyRules`, rules.length, maxRestartRules));
  for (const [index, rule] of rules.entries()) {
    const field = `${path}.restartPolicyRules[${index}]`;
    supportedEnum(rule.action, ["Restart", "RestartAllContainers"], `${field}.action`, causes);
    if (!rule.exitCodes) {
      causes.push(required(`${field}.exitCodes`, "must be specified"));
      continue;
    }
    supportedEnum(rule.exitCodes.operator, ["In", "NotIn"], `${field}.exitCodes.operator`, causes);
    const values = listOf(rule.exitCodes.values);
    if (values.length > maxExitCodes) causes.push(tooMany(`${field}.exitCodes.values`, values.length, maxExitCodes));
  }
}

export function validateContainers(spec: any, context: ContainerContext, path: string, causes: Causes): void {
  const containers = listOf(spec.containers);
  if (containers.length === 0) return void causes.push(required(path));
  const names = new Set<string>();
  for (let index = 0; index < containers.length; index++) {
    const container = containers[index];
    const field = `${path}[${index}]`;
    validateContainerCommon(container, context, field, causes);
    if (names.has(container.name)) causes.push(duplicate(`${field}.name`, textOf(container.name)));
    names.add(container.name);
    if (container.lifecycle) validateLifecycle(container.lifecycle, context.gracePeriod, `${field}.lifecycle`, causes);
    validateProbes(container, context.gracePeriod, field, causes);
    validateRestartPolicy(container, field, causes);
  }
  checkHostPortConflicts(containers, path, causes);
}

const onlySidecars = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"];

export function validateInitContainers(spec: any, context: ContainerContext, path: string, causes: Causes): void {
  const names = new Set<string>(listOf(spec.containers).map((container) => container.name));
  for (const [index, container] of listOf(spec.initContainers).entries()) {
    const field = `${path}[${index}]`;
    validateContainerCommon(container, context, field, causes);
    validateRestartPolicy(container, field, causes);
    if (names.has(container.name)) causes.push(duplicate(`${field}.name`, textOf(container.name)));
    else if (container.name) names.add(container.name);
    // Init containers run one after another, so each has the host's ports to itself.
    checkHostPortConflicts([container], path, causes);
    if (container.restartPolicy === "Always") {
      if (container.lifecycle)
        validateLifecycle(container.lifecycle, context.gracePeriod, `${field}.lifecycle`, causes);
      validateProbes(container, context.gracePeriod, field, causes);
    } else {
      for (const forbiddenField of onlySidecars) {
        if (isSet(container[forbiddenField])) {
          causes.push(
            forbidden(`${field}.${forbiddenField}`, "may not be set for init containers without restartPolicy=Always"),
          );
        }
      }
    }
  }
}

/** What holds for pods but not for templates. Mirrors validateContainersOnlyForPod. */
export function validateImageSpace(container: any, path: string, causes: Causes): void {
  const image = textOf(container.image);
  if (image.trim() !== image)
    causes.push(invalid(`${path}.image`, image, "must not have leading or trailing whitespace"));
}

export function validatePolicyOf(policy: unknown, supported: readonly string[], path: string, causes: Causes): void {
  if (!policy) causes.push(required(path));
  else if (!supported.includes(policy as string)) causes.push(notSupported(path, policy, supported));
}
