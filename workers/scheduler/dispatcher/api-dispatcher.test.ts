import { describe, expect, it } from "vitest";
import type { BatchOperation, BatchResult, Client } from "../../client/interfaces.ts";
import { newServiceUnavailable } from "../../apimachinery/status-errors.ts";
import { ApiDispatcher } from "./api-dispatcher.ts";

/** A client of which only `batch` exists; each request waits for its answer. */
function heldClient() {
  const requests: { operations: BatchOperation[]; answer: (result?: BatchResult[] | Error) => void }[] = [];
  const batch = (operations: BatchOperation[]) =>
    new Promise<BatchResult[]>((resolve, reject) => {
      requests.push({
        operations,
        answer: (result) =>
          result instanceof Error
            ? reject(result)
            : resolve(result ?? operations.map(() => ({ code: 201, body: { metadata: {} } }))),
      });
    });
  return { client: { batch } as unknown as Client, requests };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("ApiDispatcher", () => {
  it("sends a Binding as upstream's client does", async () => {
    const { client, requests } = heldClient();
    const answered = new ApiDispatcher(client).bind("ns", "web", "uid-1", "node-1");
    await turn();
    expect(requests[0]!.operations).toEqual([
      {
        method: "POST",
        path: "/api/v1/namespaces/ns/pods/web/binding",
        body: {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { namespace: "ns", name: "web", uid: "uid-1" },
          target: { kind: "Node", name: "node-1" },
        },
      },
    ]);
    requests[0]!.answer();
    expect((await answered).code).toBe(201);
  });

  it("keeps one request in flight, puts bindings first, and sends only the last patch of a pod", async () => {
    const { client, requests } = heldClient();
    const dispatcher = new ApiDispatcher(client, { maxBatchSize: 3 });
    void dispatcher.bind("ns", "a", undefined, "n");
    await turn();
    const patches = [
      dispatcher.patchStatus("ns", "x", { v: 1 }),
      dispatcher.patchStatus("ns", "y", { v: 1 }),
      dispatcher.patchStatus("ns", "x", { v: 2 }),
    ];
    for (const name of ["b", "c"]) void dispatcher.bind("ns", name, undefined, "n");
    await turn();
    expect(requests).toHaveLength(1);
    expect(dispatcher.pendingPatches).toBe(2);
    requests[0]!.answer();
    await turn();
    const paths = (index: number) => requests[index]!.operations.map(({ path }) => path.split("/").slice(6).join("/"));
    expect(paths(1)).toEqual(["b/binding", "c/binding", "x/status"]);
    expect(requests[1]!.operations[2]!.body).toEqual({ status: { v: 2 } });
    requests[1]!.answer();
    await turn();
    expect(paths(2)).toEqual(["y/status"]);
    requests[2]!.answer();
    expect((await Promise.all(patches)).map(({ code }) => code)).toEqual([201, 201, 201]);
    expect(dispatcher.pendingPatches).toBe(0);
  });

  it("a request that fails fails each of its operations, and the next goes out", async () => {
    const { client, requests } = heldClient();
    const dispatcher = new ApiDispatcher(client, { maxBatchSize: 2 });
    const answers = ["a", "b", "c"].map((name) => dispatcher.bind("ns", name, undefined, "n"));
    await turn();
    requests[0]!.answer(newServiceUnavailable("try later"));
    await turn();
    requests[1]!.answer();
    expect((await Promise.all(answers)).map(({ code, body }) => [code, body.message])).toEqual([
      [503, "try later"],
      [503, "try later"],
      [201, undefined],
    ]);
  });
});
