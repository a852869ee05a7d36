import type { ServerProcess } from "./server-process.ts";

const perBatch = 250;
const batchPath = "/apis/edgeplane.dev/v1/batch";

/** Creates the objects numbered `from` up to `to` through the API, many in a request. */
export async function fill(
  server: ServerProcess,
  path: string,
  from: number,
  to: number,
  object: (name: string) => string,
): Promise<void> {
  const connection = await server.connect();
  try {
    for (let at = from; at < to; at += perBatch) {
      const bodies = Array.from({ length: Math.min(perBatch, to - at) }, (_, index) => object(nameOf(at + index)));
      const requests = bodies.map((body) => `{"method":"POST","path":${JSON.stringify(path)},"body":${body}}`);
      const answer = await connection.send(server.text("POST", batchPath, `{"requests":[${requests.join(",")}]}`));
      if (answer.status >= 300) throw new Error(`batch: ${answer.status} ${answer.body.toString().slice(0, 500)}`);
      const { responses } = JSON.parse(answer.body.toString()) as { responses: { code: number; body: unknown }[] };
      const failed = responses.find(({ code }) => code !== 201);
      if (failed !== undefined)
        throw new Error(`POST ${path}: ${failed.code} ${JSON.stringify(failed.body).slice(0, 500)}`);
    }
  } finally {
    connection.close();
  }
}

/** Names that sort as their numbers. */
export function nameOf(index: number): string {
  return `object-${String(index).padStart(6, "0")}`;
}
