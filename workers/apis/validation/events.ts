import { invalid, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { isDns1123Subdomain, isLabelKey } from "../../apimachinery/validation-names.ts";
import { checkText, immutable, isSet, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

/** Events, in the core form in which those of both groups are stored. Mirrors pkg/apis/core/validation/events.go (1.36). */
const lengthLimit = 128;
const noteLengthLimit = 1_024;
const strictController = "reportingController";

export function validateEvent(event: KubeObject, causes: Causes): void {
  validateCommon(event, "reportingComponent", causes);
}

export function validateEventUpdate(event: KubeObject, _previous: KubeObject, causes: Causes): void {
  validateEvent(event, causes);
}

/** What comes through events.k8s.io/v1. */
export function validateStrictEvent(event: KubeObject, causes: Causes): void {
  validateCommon(event, strictController, causes);
  validateSeries(event, causes);
  if (!isSet(event["eventTime"])) causes.push(required("eventTime"));
  const type = textOf(event["type"]);
  if (type !== "Normal" && type !== "Warning") causes.push(invalid("type", "", `has invalid value: ${type}`));
  for (const field of ["firstTimestamp", "lastTimestamp", "count"]) {
    if (event[field]) causes.push(invalid(field, "", "needs to be unset"));
  }
  if (event["source"]?.component || event["source"]?.host) causes.push(invalid("source", "", "needs to be unset"));
}

/** `controllerField`: the name of the stored reportingComponent in the version of the request. */
function validateCommon(event: KubeObject, controllerField: string, causes: Causes): void {
  const namespace = event.metadata.namespace ?? "";
  const involved = textOf(event["involvedObject"]?.namespace);
  const mismatch = () => causes.push(invalid("involvedObject.namespace", involved, "does not match event.namespace"));
  if (!isSet(event["eventTime"])) {
    if (involved === "" ? namespace !== "" && namespace !== "default" : namespace !== involved) mismatch();
  } else {
    if (involved === "" && namespace !== "default" && namespace !== "kube-system") mismatch();
    const controller = textOf(event["reportingComponent"]);
    if (controller === "") causes.push(required(controllerField));
    checkText(isLabelKey, controller, controllerField, causes);
    for (const field of ["reportingInstance", "action", "reason"]) {
      const text = textOf(event[field]);
      if (text === "") causes.push(required(field));
      if (text.length > lengthLimit) causes.push(invalid(field, "", `can have at most ${lengthLimit} characters`));
    }
    if (textOf(event["message"]).length > noteLengthLimit) {
      causes.push(invalid("message", "", `can have at most ${noteLengthLimit} characters`));
    }
  }
  checkText(isDns1123Subdomain, namespace, "namespace", causes);
}

function validateSeries(event: KubeObject, causes: Causes): void {
  const series = event["series"];
  if (!series) return;
  if (!(series.count >= 2)) causes.push(invalid("series.count", "", "should be at least 2"));
  if (!isSet(series.lastObservedTime)) causes.push(required("series.lastObservedTime"));
}

const immutableFields = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
];

export function validateStrictEventUpdate(event: KubeObject, previous: KubeObject, causes: Causes): void {
  validateCommon(event, strictController, causes);
  if (!semanticEqual(event["series"], previous["series"])) validateSeries(event, causes);
  for (const field of immutableFields) {
    immutable(event[field], previous[field], field === "reportingComponent" ? strictController : field, causes);
  }
}
