import { describe, expect, it } from "vitest";
import { fieldLabelNotSupported, selectableFields } from "./selectable-fields.ts";

const read = (group: string, resource: string, field: string, object: unknown) =>
  selectableFields(group, resource).get(field)?.(object);

describe("selectable fields", () => {
  it("reads every pod field as upstream prints it", () => {
    const pod = {
      metadata: { name: "a", namespace: "n" },
      spec: { nodeName: "node", restartPolicy: "Always", hostNetwork: true },
      status: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }], phase: "Running" },
    };
    expect(Object.fromEntries([...selectableFields("", "pods")].map(([field, value]) => [field, value(pod)]))).toEqual({
      "metadata.name": "a",
      "metadata.namespace": "n",
      "spec.nodeName": "node",
      "spec.host": "node",
      "spec.restartPolicy": "Always",
      "spec.schedulerName": "",
      "spec.serviceAccountName": "",
      "spec.hostNetwork": "true",
      "status.phase": "Running",
      "status.podIP": "10.0.0.1",
      "status.podIPs": "",
      "status.nominatedNodeName": "",
    });
    expect(read("", "pods", "spec.hostNetwork", {})).toBe("false");
  });

  it("reads both forms of an event", () => {
    const core = { involvedObject: { kind: "Pod" }, source: { component: "kubelet" }, reportingComponent: "x" };
    expect(read("", "events", "involvedObject.kind", core)).toBe("Pod");
    expect(read("", "events", "source", core)).toBe("kubelet");
    const other = { regarding: { kind: "Pod" }, reportingController: "x" };
    expect(read("events.k8s.io", "events", "regarding.kind", other)).toBe("Pod");
    expect(read("events.k8s.io", "events", "source", other)).toBe("x");
    expect(read("events.k8s.io", "events", "reportingController", core)).toBe("x");
    expect(selectableFields("events.k8s.io", "events").has("involvedObject.kind")).toBe(false);
  });

  it("reads counters and flags of absent fields as zero and false", () => {
    expect(read("batch", "jobs", "status.successful", {})).toBe("0");
    expect(read("apps", "replicasets", "status.replicas", { status: { replicas: 3 } })).toBe("3");
    expect(read("", "nodes", "spec.unschedulable", {})).toBe("false");
    expect(selectableFields("", "nodes").has("metadata.namespace")).toBe(false);
    expect([...selectableFields("example.com", "things").keys()]).toEqual(["metadata.name", "metadata.namespace"]);
  });

  it("words the refusal as upstream does", () => {
    expect(fieldLabelNotSupported("", "v1", "pods", "Pod", "spec.foo")).toBe("field label not supported: spec.foo");
    expect(fieldLabelNotSupported("", "v1", "configmaps", "ConfigMap", "data")).toBe(
      '"data" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    expect(fieldLabelNotSupported("batch", "v1", "jobs", "Job", "x")).toBe('field label "x" not supported for Job');
    expect(fieldLabelNotSupported("resource.k8s.io", "v1", "resourceslices", "ResourceSlice", "x")).toBe(
      "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x",
    );
  });
});
