import { documentHash } from "../discovery/etag.ts";
import type { ExtraResources, ExtraVersion } from "../discovery/groups.ts";
import type { AggregatorContext } from "./aggregator-context.ts";
import type { RemoteApiService } from "./api-service.ts";
import { setAuthProxyHeaders } from "./auth-proxy-headers.ts";
import { remoteResourceInfos } from "./remote-resources.ts";
import type { RemoteState } from "./remote-state.ts";
import { checkNow, isDue, stateOf } from "./remote-state.ts";
import { remoteApiServices } from "./snapshot.ts";

/** How long what a server says about its documents is taken as its word. */
const documentMilliseconds = 30_000;
const fetchTimeout = 10_000;
const maxDocumentLength = 4 * 1024 * 1024;

/** So many documents of OpenAPI v2 are kept in an isolate. */
const maxDocumentsV2 = 8;
const holdersV2 = new Set<RemoteDocuments>();

/** Documents of OpenAPI that an aggregated server has, as of the last look. */
interface RemoteDocuments {
  index?: { checkedAt: number; hash: string };
  v2?: { checkedAt: number; hash: string; document: Record<string, any> | undefined };
}

const documents = new WeakMap<RemoteState, RemoteDocuments>();
const versions = new WeakMap<RemoteState, { of: string; resources: unknown; version: ExtraVersion }>();
const merged = new WeakMap<ExtraResources, { remote: ExtraVersion[]; extra: ExtraResources }>();

/** What a document needs of the aggregated servers: their resources alone, or also a part of their OpenAPI. */
export type DocumentNeed = "resources" | "openapi index" | "openapi v2";

/**
 * What discovery and OpenAPI add beside `others` for aggregated servers; those themselves when there are none, and the same object for as long as
 * nothing changes. A server's first look is waited for, later ones happen in the background. One that does not answer keeps
 * what it had, as stale. Counterpart of kube-aggregator pkg/apiserver/handler_discovery.go and pkg/controllers/openapiv3 (1.36).
 */
export async function withRemoteResources(
  context: AggregatorContext,
  others: Promise<ExtraResources>,
  need: DocumentNeed,
): Promise<ExtraResources> {
  const [base, remotes] = await Promise.all([others, remoteApiServices(context)]);
  if (remotes.length === 0) return base;
  const remote = await Promise.all(remotes.map((apiService) => remoteVersion(context, apiService, need)));
  const known = merged.get(base);
  if (
    known !== undefined &&
    known.remote.length === remote.length &&
    known.remote.every((each, index) => each === remote[index])
  )
    return known.extra;
  // The aggregated server comes before the definitions.
  const taken = new Set(remote.map(({ group, version }) => `${group}/${version}`));
  const extra = {
    versions: [...base.versions.filter(({ group, version }) => !taken.has(`${group}/${version}`)), ...remote],
  };
  merged.set(base, { remote, extra });
  return extra;
}

async function remoteVersion(
  context: AggregatorContext,
  apiService: RemoteApiService,
  need: DocumentNeed,
): Promise<ExtraVersion> {
  const state = stateOf(context.storage.cluster, apiService);
  if (state.condition === undefined && isDue(state, context.clock.now())) await checkNow(context, apiService);
  else if (isDue(state, context.clock.now())) {
    context.background(async () => {
      await checkNow(context, apiService);
    });
  }
  if (need !== "resources" && state.base !== undefined) await refreshDocument(context, apiService, state, need);
  const { index, v2 } = documents.get(state) ?? {};
  const { group, version, groupPriorityMinimum, versionPriority } = apiService.spec;
  const freshness = state.current ? "Current" : "Stale";
  const of = [freshness, index?.hash, v2?.hash].join();
  let held = versions.get(state);
  if (held === undefined || held.of !== of || held.resources !== state.resources) {
    held = {
      of,
      resources: state.resources,
      version: {
        group,
        version,
        resources: remoteResourceInfos(group, version, state.resources ?? []),
        groupPriorityMinimum,
        versionPriority,
        freshness,
        delegated: true,
        hash: index?.hash ?? "",
        ...(v2?.document === undefined ? {} : { documentV2: { hash: v2.hash, document: v2.document } }),
      },
    };
    versions.set(state, held);
  }
  return held.version;
}

async function refreshDocument(
  context: AggregatorContext,
  apiService: RemoteApiService,
  state: RemoteState,
  need: DocumentNeed,
): Promise<void> {
  let held = documents.get(state);
  if (held === undefined) documents.set(state, (held = {}));
  const now = context.clock.now();
  const before = need === "openapi v2" ? held.v2 : held.index;
  if (before !== undefined && now - before.checkedAt < documentMilliseconds) return;
  if (before !== undefined) before.checkedAt = now;
  const refresh =
    need === "openapi v2"
      ? () => refreshV2(context, apiService, state, held)
      : () => refreshIndex(context, apiService, state, held);
  if (before === undefined) await refresh();
  else context.background(refresh);
}

/** The hash that the server gives to its document, in the URL of its own index. */
async function refreshIndex(
  context: AggregatorContext,
  { spec }: RemoteApiService,
  state: RemoteState,
  held: RemoteDocuments,
): Promise<void> {
  const index = await readJson(context, `${state.base}/openapi/v3`);
  const url = index?.paths?.[`apis/${spec.group}/${spec.version}`]?.serverRelativeURL;
  const hash = typeof url === "string" ? (/[?&]hash=([\w%.-]*)/.exec(url)?.[1] ?? "") : "";
  held.index = { checkedAt: context.clock.now(), hash: index === undefined ? (held.index?.hash ?? "") : hash };
}

async function refreshV2(
  context: AggregatorContext,
  { spec }: RemoteApiService,
  state: RemoteState,
  held: RemoteDocuments,
): Promise<void> {
  const document = await readJson(context, `${state.base}/openapi/v2`);
  if (document === undefined || !isObject(document.paths) || !isObject(document.definitions)) {
    held.v2 = { checkedAt: context.clock.now(), hash: held.v2?.hash ?? "", document: held.v2?.document };
    return;
  }
  const prefix = `/apis/${spec.group}/${spec.version}/`;
  const paths = Object.fromEntries(
    Object.entries<any>(document.paths).filter(([path]) => `${path}/`.startsWith(prefix)),
  );
  const part = { paths, definitions: document.definitions };
  held.v2 = { checkedAt: context.clock.now(), hash: documentHash(JSON.stringify(part)), document: part };
  holdersV2.delete(held);
  holdersV2.add(held);
  for (const oldest of holdersV2) {
    if (holdersV2.size <= maxDocumentsV2) break;
    holdersV2.delete(oldest);
    delete oldest.v2;
  }
}

/** undefined when there is none that can be read. */
async function readJson(context: AggregatorContext, url: string): Promise<Record<string, any> | undefined> {
  const headers = new Headers({ Accept: "application/json" });
  setAuthProxyHeaders(headers, { username: "system:aggregator", groups: ["system:masters"] });
  try {
    const response = await context.fetch(url, headers, fetchTimeout);
    const text = await response.text();
    if (response.status !== 200 || text.length > maxDocumentLength) return undefined;
    const document: unknown = JSON.parse(text);
    return isObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, any> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
