import type { Connection } from "./connection.ts";
import { requestText } from "./connection.ts";
import type { ServerProcess } from "./server-process.ts";

const newline = 10;

/** An HTTP watch on a connection of its own; one call for each line. */
export class Watch {
  readonly #connection: Connection;
  failed: Error | undefined;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  static async open(server: ServerProcess, path: string, onLine: (line: Buffer) => void): Promise<Watch> {
    const connection = await server.connect();
    const watch = new Watch(connection);
    let rest: Buffer[] = [];
    const receive = (chunk: Buffer) => {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        const line = chunk.subarray(from, end);
        onLine(rest.length === 0 ? line : Buffer.concat([...rest, line]));
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    };
    connection.send(requestText("GET", path, server.headers), receive).then(
      ({ status }) => (watch.failed = new Error(`the watch ended with ${status}`)),
      (error: Error) => (watch.failed = error),
    );
    return watch;
  }

  close(): void {
    this.#connection.close();
  }
}
