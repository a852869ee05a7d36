/** authentication.k8s.io UserInfo */
export interface UserInfo {
  username: string;
  uid?: string;
  groups: string[];
  extra?: Record<string, string[]>;
}

export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";

export const anonymous: UserInfo = { username: "system:anonymous", groups: [unauthenticatedGroup] };

/** The identities that Edgeplane's own loops act under, by their upstream names. */
export const controllerManagerUser: UserInfo = {
  username: "system:kube-controller-manager",
  groups: [authenticatedGroup],
};
export const schedulerUser: UserInfo = { username: "system:kube-scheduler", groups: [authenticatedGroup] };

export function nodeUser(nodeName: string): UserInfo {
  return { username: `system:node:${nodeName}`, groups: ["system:nodes", authenticatedGroup] };
}
