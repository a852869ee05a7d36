import { it } from "vitest";
import { FakeClock } from "/work/main/workers/apimachinery/clock.ts";
import { selectableFields } from "/work/main/workers/apis/selectable-fields.ts";
import { Cacher } from "/work/main/workers/storage/cacher/cacher.ts";
import { newEventEncoder } from "/work/main/workers/storage/cacher/event-encoder.ts";
import { FakeShard } from "/work/main/workers/storage/cacher/fake-shard.ts";
import { FakeSocket } from "/work/main/workers/storage/cacher/fake-socket.ts";
it("bench", async () => {
  for (const n of [10, 300]) {
  const clock = new FakeClock(); const shard = new FakeShard();
  const c = new Cacher({ type: { group: "", resource: "pods" }, shard, clock, random: () => 0, encoder: newEventEncoder({}), fields: selectableFields("", "pods"), capacity: { minimum: 100, maximum: 100000 }, wakeAt() {} });
  const sockets = [];
  for (let i = 0; i < n; i++) { const s = new FakeSocket(); c.accept(s, { prefix: "/registry/pods/", since: 0, initialEvents: false, fieldSelector: `spec.nodeName=n${i}`, representation: { kind: "object", apiVersion: "v1", objectKind: "Pod" } }); sockets.push(s); }
  await new Promise(r => setImmediate(r));
  const events = Array.from({ length: 5000 }, (_, i) => shard.commit(`/registry/pods/default/p${i % 1000}`, { spec: { nodeName: `n${i % n}` , pad: "x".repeat(1300) }, status: { phase: "Running" } }));
  const t = performance.now();
  for (let i = 0; i < events.length; i += 20) { const p = c.push(events.slice(i, i + 20)); await clock.advance(20); await p; }
  console.log(n, "views", ((performance.now() - t) / 5).toFixed(1), "ms per 1000 events", sockets[0].lines.length);
  for (const s of sockets) c.acknowledged(s, 1e9);
  }
});
