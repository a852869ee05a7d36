import { ensureObject, setDefault, type Json } from "./set-default.ts";

/* Mirrors pkg/apis/storage/v1/defaults.go (1.36). */

export function defaultStorageClass(storageClass: Json): void {
  setDefault(storageClass, "reclaimPolicy", "Delete");
  setDefault(storageClass, "volumeBindingMode", "Immediate");
}

export function defaultCSIDriver(driver: Json): void {
  const spec = ensureObject(driver, "spec");
  setDefault(spec, "attachRequired", true);
  setDefault(spec, "podInfoOnMount", false);
  setDefault(spec, "storageCapacity", false);
  setDefault(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  if (!spec["volumeLifecycleModes"]?.length) spec["volumeLifecycleModes"] = ["Persistent"];
  setDefault(spec, "requiresRepublish", false);
  setDefault(spec, "seLinuxMount", false);
}
