import type { KubeObject } from "../../apimachinery/meta.ts";
import { list, text } from "./cells.ts";
import { age, column, name, tablePrinter, wide } from "./columns.ts";

/** Bindings of rbac.authorization.k8s.io; roles have no columns of their own. Mirrors printers.go (1.36). */

const subjects = (kind: string) => (binding: KubeObject) =>
  list(binding.subjects)
    .filter((subject) => subject.kind === kind)
    .map(({ namespace, name }) => (kind === "ServiceAccount" ? `${text(namespace)}/${text(name)}` : text(name)))
    .join(", ");

const bindings = tablePrinter(
  name,
  column("Role", "Role that is granted.", ({ roleRef }) => `${text(roleRef?.kind)}/${text(roleRef?.name)}`),
  age,
  wide(column("Users", "Users who have the role.", subjects("User"))),
  wide(column("Groups", "Groups that have the role.", subjects("Group"))),
  wide(column("ServiceAccounts", "Service accounts that have the role.", subjects("ServiceAccount"))),
);

export const rbacPrinters = { clusterrolebindings: bindings, rolebindings: bindings };
