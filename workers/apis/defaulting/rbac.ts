import { each, ensureObject, setDefault, type Json } from "./set-default.ts";

const group = "rbac.authorization.k8s.io";

/** RoleBinding and ClusterRoleBinding. Mirrors pkg/apis/rbac/v1/defaults.go (1.36). */
export function defaultBinding(binding: Json): void {
  setDefault(ensureObject(binding, "roleRef"), "apiGroup", group);
  each(binding["subjects"], (subject) => {
    if (subject["kind"] === "User" || subject["kind"] === "Group") setDefault(subject, "apiGroup", group);
  });
}
