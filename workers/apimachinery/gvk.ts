export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

export interface GroupVersionResource {
  group: string;
  version: string;
  resource: string;
}

export interface GroupResource {
  group: string;
  resource: string;
}

/** `v1` for the core group, `group/version` otherwise. */
export function apiVersionOf(gv: { group: string; version: string }): string {
  return gv.group === "" ? gv.version : `${gv.group}/${gv.version}`;
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `resource` or `resource.group`, as error messages name it. */
export function formatGroupResource(gr: GroupResource): string {
  return gr.group === "" ? gr.resource : `${gr.resource}.${gr.group}`;
}
