import { formatTime } from "../../apimachinery/clock.ts";
import { deepEqual } from "../../apimachinery/deep-equal.ts";
import { encodeObject } from "../../storage/encode-object.ts";
import { isStorageError } from "../../storage/errors.ts";
import { objectKey } from "../../storage/keys.ts";
import type { DefinitionCondition } from "../extensions/definition.ts";
import { setCondition } from "../extensions/definition.ts";
import type { AggregatorContext } from "./aggregator-context.ts";
import type { ApiService, RemoteApiService } from "./api-service.ts";
import { apiServices, availability } from "./api-service.ts";
import type { RemoteResource } from "./check-availability.ts";
import { checkAvailability } from "./check-availability.ts";
import { apiServicesChanged, refreshApiServices } from "./snapshot.ts";

/** As upstream's resync of APIServices; also the longest time between two attempts at one that does not answer. */
const recheckMilliseconds = 30_000;
const firstRetryMilliseconds = 500;
const maxStates = 256;

/** What this isolate knows of the server behind one APIService. Plain data. */
export interface RemoteState {
  base: string | undefined;
  /** The last list that could be read. */
  resources: readonly RemoteResource[] | undefined;
  /** The last attempt at discovery gave `resources`. */
  current: boolean;
  /** -Infinity before the first check. */
  checkedAt: number;
  failures: number;
  condition: DefinitionCondition | undefined;
}

const states = new Map<string, RemoteState>();

export function stateOf(cluster: string, apiService: RemoteApiService): RemoteState {
  // A changed or recreated one is another server.
  const key = JSON.stringify([cluster, apiService.metadata.uid, apiService.spec]);
  let state = states.get(key);
  if (state === undefined) {
    state = {
      base: undefined,
      resources: undefined,
      current: false,
      checkedAt: Number.NEGATIVE_INFINITY,
      failures: 0,
      condition: undefined,
    };
  }
  states.delete(key);
  states.set(key, state);
  for (const oldest of states.keys()) {
    if (states.size <= maxStates) break;
    states.delete(oldest);
  }
  return state;
}

/** Whether it is time to look again: after half a minute; sooner, with growing pauses, at one that did not answer. */
export function isDue(state: RemoteState, now: number): boolean {
  const pause =
    state.failures === 0
      ? recheckMilliseconds
      : Math.min(recheckMilliseconds, firstRetryMilliseconds * 2 ** (state.failures - 1));
  return now - state.checkedAt >= pause;
}

/** Looks at the server, and writes the condition if it changed. One check at a time in an isolate. */
export async function checkNow(context: AggregatorContext, apiService: RemoteApiService): Promise<RemoteState> {
  const { storage, clock } = context;
  const state = stateOf(storage.cluster, apiService);
  // Others take what is known until this one is done.
  state.checkedAt = clock.now();
  const { condition, base, resources } = await checkAvailability(context, apiService);
  state.checkedAt = clock.now();
  state.failures = condition.status === "True" ? 0 : state.failures + 1;
  state.base = base;
  state.condition = condition;
  state.current = resources !== undefined;
  if (resources !== undefined && !deepEqual(resources, state.resources)) state.resources = resources;
  await writeCondition(context, apiService, condition);
  return state;
}

/** Looks again until the server answers, for as long as the platform lets work go on after a request: about half a minute. */
export async function checkUntilAvailable(context: AggregatorContext, apiService: RemoteApiService): Promise<void> {
  for (let pause = firstRetryMilliseconds; ; pause *= 2) {
    const state = await checkNow(context, apiService);
    if (state.condition?.status === "True" || pause > 8_000) return;
    await new Promise<void>((resolve) => {
      context.clock.setTimeout(resolve, pause);
    });
    const now = (await refreshApiServices(context)).byName.get(apiService.metadata.name!);
    // Deleted or changed.
    if (now === undefined || now.metadata.uid !== apiService.metadata.uid || !deepEqual(now.spec, apiService.spec))
      return;
  }
}

async function writeCondition(
  { storage, clock }: AggregatorContext,
  apiService: RemoteApiService,
  condition: DefinitionCondition,
): Promise<void> {
  if (isSame(availability(apiService), condition)) return;
  const client = storage.for(apiServices);
  const key = objectKey(apiServices, undefined, apiService.metadata.name!);
  for (let attempt = 0; attempt < 3; attempt++) {
    const stored = await client.get(key);
    if (stored === undefined) return;
    const object = JSON.parse(stored.value) as ApiService;
    // What was checked is not what is there now.
    if (object.metadata.uid !== apiService.metadata.uid || !deepEqual(object.spec, apiService.spec)) return;
    if (isSame(availability(object), condition)) return;
    setCondition(object, condition, formatTime(clock.now()));
    try {
      await client.update(key, encodeObject(object), stored.revision);
      apiServicesChanged(storage.cluster);
      return;
    } catch (error) {
      if (isStorageError(error, "KeyNotFound")) return;
      if (!isStorageError(error, "RevisionConflict")) throw error;
    }
  }
}

function isSame(before: DefinitionCondition | undefined, { status, reason, message }: DefinitionCondition): boolean {
  return before !== undefined && before.status === status && before.reason === reason && before.message === message;
}
