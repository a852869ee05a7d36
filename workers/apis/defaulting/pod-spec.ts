import { defaultPullPolicy } from "./image-tag.ts";
import { defaultPodLevelRequests } from "./pod-level-resources.ts";
import { defaultResourceList, defaultResourceRequirements, fillResources } from "./resources.ts";
import { each, ensureObject, setDefault, setDefaultNumber, type Json } from "./set-default.ts";
import { defaultFieldRef, defaultVolume } from "./volumes.ts";

/**
 * Defaults that pods and pod templates share. Mirrors SetDefaults_PodSpec and SetDefaults_Container of
 * pkg/apis/core/v1/defaults.go (1.36), and the conversion that keeps serviceAccount equal to serviceAccountName.
 */
export function defaultPodSpec(spec: Json): void {
  setDefault(spec, "dnsPolicy", "ClusterFirst");
  setDefault(spec, "restartPolicy", "Always");
  setDefault(spec, "securityContext", {});
  setDefault(spec, "terminationGracePeriodSeconds", 30);
  setDefault(spec, "schedulerName", "default-scheduler");
  if (spec["serviceAccountName"]) spec["serviceAccount"] = spec["serviceAccountName"];
  else if (spec["serviceAccount"]) spec["serviceAccountName"] = spec["serviceAccount"];
  defaultResourceList(spec["overhead"]);
  defaultResourceRequirements(spec["resources"]);
  each(spec["volumes"], defaultVolume);
  each(spec["initContainers"], defaultContainer);
  each(spec["containers"], defaultContainer);
  each(spec["ephemeralContainers"], defaultContainer);
}

/** Defaults that only pods have, templates not. Runs after {@link defaultPodSpec}. Mirrors SetDefaults_Pod. */
export function defaultPodOnly(spec: Json): void {
  for (const list of [spec["containers"], spec["initContainers"]]) {
    each(list, (container) => {
      const limits: Json | undefined = container["resources"]?.limits;
      if (limits !== undefined && Object.keys(limits).length > 0) {
        fillResources(ensureObject(container["resources"], "requests"), limits);
      }
      if (spec["hostNetwork"] === true) {
        each(container["ports"], (port) => setDefaultNumber(port, "hostPort", port["containerPort"]));
      }
    });
  }
  defaultPodLevelRequests(spec);
  setDefault(spec, "enableServiceLinks", true);
}

function defaultContainer(container: Json): void {
  if (!container["imagePullPolicy"]) container["imagePullPolicy"] = defaultPullPolicy(container["image"] ?? "");
  setDefault(container, "terminationMessagePath", "/dev/termination-log");
  setDefault(container, "terminationMessagePolicy", "File");
  each(container["ports"], (port) => setDefault(port, "protocol", "TCP"));
  each(container["env"], (variable) => {
    if (variable["valueFrom"]) defaultFieldRef(variable["valueFrom"]);
  });
  defaultResourceRequirements(container["resources"]);
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    if (container[probe]) defaultProbe(container[probe]);
  }
  for (const hook of ["postStart", "preStop"]) defaultHandler(container["lifecycle"]?.[hook]);
}

function defaultProbe(probe: Json): void {
  setDefaultNumber(probe, "timeoutSeconds", 1);
  setDefaultNumber(probe, "periodSeconds", 10);
  setDefaultNumber(probe, "successThreshold", 1);
  setDefaultNumber(probe, "failureThreshold", 3);
  defaultHandler(probe);
}

function defaultHandler(handler: Json | undefined): void {
  if (handler?.["httpGet"]) {
    setDefault(handler["httpGet"], "path", "/");
    setDefault(handler["httpGet"], "scheme", "HTTP");
  }
  if (handler?.["grpc"]) handler["grpc"].service ??= "";
}

/** A PodTemplateSpec. */
export function defaultPodTemplate(template: Json | undefined | null): void {
  if (template) defaultPodSpec(ensureObject(template, "spec"));
}
