import { each, setDefault, setDefaultNumber, type Json } from "./set-default.ts";

/* Mirrors pkg/apis/resource/v1/defaults.go (1.36). */

export function defaultResourceClaim(claim: Json): void {
  defaultClaimSpec(claim["spec"]);
}

export function defaultResourceClaimTemplate(template: Json): void {
  defaultClaimSpec(template["spec"]?.spec);
}

function defaultClaimSpec(spec: Json | undefined): void {
  each(spec?.["devices"]?.requests, (request) => {
    if (request["exactly"]) defaultDeviceRequest(request["exactly"]);
    // Before v1beta2 the exact request is the request itself.
    else if (request["deviceClassName"]) defaultDeviceRequest(request);
    each(request["firstAvailable"], defaultDeviceRequest);
  });
}

function defaultDeviceRequest(request: Json): void {
  setDefault(request, "allocationMode", "ExactCount");
  if (request["allocationMode"] === "ExactCount") setDefaultNumber(request, "count", 1);
  each(request["tolerations"], (toleration) => setDefault(toleration, "operator", "Equal"));
}
