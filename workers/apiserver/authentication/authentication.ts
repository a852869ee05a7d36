import type { UserInfo } from "./user-info.ts";

/** Whom a token stands for and which of the wanted audiences it is for, or why it stands for nobody. */
export type Authentication = { user: UserInfo; audiences: string[] } | { error: string };
