import https from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

/** Logs, exec, attach, port-forward and proxies: checked as upstream, and answered at once that there is nothing behind them. */
let cluster: TestCluster;
const pods = "/api/v1/namespaces/default/pods";

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 1 });
  const containers = [
    { name: "a", image: "i" },
    { name: "b", image: "i" },
  ];
  await cluster.request("POST", pods, { metadata: { name: "one" }, spec: { containers: containers.slice(0, 1) } });
  await cluster.request("POST", pods, { metadata: { name: "two" }, spec: { containers, nodeName: "n" } });
  await cluster.request("POST", pods, {
    metadata: { name: "waiting" },
    spec: { containers: containers.slice(0, 1), nodeSelector: { no: "where" } },
  });
  await eventually("a pod on a node", async () =>
    Boolean((await cluster.request("GET", `${pods}/one`)).json.spec.nodeName),
  );
});
afterAll(() => cluster?.stop());

/** What an upgrade is answered with. */
function upgrade(method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = https.request(
      `${cluster.server}${path}`,
      {
        method,
        ca: cluster.ca,
        timeout: 20_000,
        headers: { Authorization: `Bearer ${cluster.token}`, Connection: "Upgrade", ...headers },
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode!, text }));
      },
    );
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode!, text: "" });
    });
    request.on("timeout", () => request.destroy(new Error("no answer")));
    request.on("error", reject);
    request.end();
  });
}

const webSocket = {
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Protocol": "v5.channel.k8s.io",
};

describe("what is not served yet is said so", () => {
  test.each([
    ["GET", `${pods}/one/log`, "pods/log"],
    ["GET", `${pods}/two/log?container=b&follow=true`, "pods/log"],
    ["POST", `${pods}/one/exec?command=ls&stdout=1`, "pods/exec"],
    ["GET", `${pods}/one/exec?command=ls&stdout=1`, "pods/exec"],
    ["POST", `${pods}/one/attach?stdout=1`, "pods/attach"],
    ["POST", `${pods}/one/portforward`, "pods/portforward"],
    ["GET", `${pods}/one:80/proxy/a/b`, "pods/proxy"],
    ["DELETE", `${pods}/http:one:80/proxy`, "pods/proxy"],
    ["PUT", "/api/v1/namespaces/default/services/https:kubernetes:443/proxy/x", "services/proxy"],
  ])("%s %s", async (method, path, what) => {
    const { status, json } = await cluster.request(method, path);
    expect(json).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `the server does not serve ${what} yet`,
      code: 501,
    });
    expect(status).toBe(501);
  });

  test("a node's proxy", async () => {
    const [node] = (await cluster.request("GET", "/api/v1/nodes")).json.items;
    const { json } = await cluster.request("GET", `/api/v1/nodes/${node.metadata.name}:10250/proxy/healthz`);
    expect(json.message).toBe("the server does not serve nodes/proxy yet");
  });

  test.each([
    ["GET", webSocket],
    ["POST", { Upgrade: "SPDY/3.1", "X-Stream-Protocol-Version": "v4.channel.k8s.io" }],
  ])("%s upgrades %j", async (method, headers) => {
    const { status, text } = await upgrade(method, `${pods}/one/exec?command=ls&stdout=1`, headers);
    expect(status).toBe(501);
    expect(JSON.parse(text).message).toBe("the server does not serve pods/exec yet");
  });

  test.each([
    [["logs", "one"], "Error from server: the server does not serve pods/log yet\n"],
    [["logs", "-f", "two", "-c", "a"], "Error from server: the server does not serve pods/log yet\n"],
    [["exec", "one", "--", "ls"], "Error from server: the server does not serve pods/exec yet\n"],
    [["attach", "one"], "Error from server: the server does not serve pods/attach yet\n"],
    [
      ["port-forward", "one", "0:80"],
      "error: error upgrading connection: the server does not serve pods/portforward yet\n",
    ],
  ])("kubectl %j ends with it", async (args, message) => {
    const { code, stderr } = await cluster.run(args);
    expect(stderr.endsWith(message)).toBe(true);
    expect(code).toBe(1);
  });
});

describe("what could not be served is said so as upstream does", () => {
  test.each([
    ["GET", `${pods}/none/log`, 404, 'pods "none" not found'],
    ["POST", `${pods}/none/exec?command=ls`, 404, 'pods "none" not found'],
    ["GET", "/api/v1/nodes/none/proxy/", 404, 'nodes "none" not found'],
    ["GET", "/api/v1/namespaces/default/services/none:80/proxy/", 404, 'services "none" not found'],
    ["GET", `${pods}/one/log?container=x`, 400, "container x is not valid for pod one"],
    ["POST", `${pods}/one/exec?container=x`, 400, "container x is not valid for pod one"],
    ["GET", `${pods}/two/log`, 400, "a container name must be specified for pod two, choose one of: [a b]"],
    ["POST", `${pods}/waiting/exec`, 400, "pod waiting does not have a host assigned"],
    ["POST", `${pods}/waiting/portforward`, 400, "pod waiting does not have a host assigned"],
    ["GET", `${pods}/ftp:one:80/proxy`, 400, 'invalid pod request "ftp:one:80"'],
    [
      "GET",
      `${pods}/one/log?tailLines=-1`,
      422,
      'PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    ["DELETE", `${pods}/one/log`, 405, "the server does not allow this method on the requested resource"],
  ])("%s %s", async (method, path, code, message) => {
    const { status, json } = await cluster.request(method, path);
    expect(json.message).toBe(message);
    expect(status).toBe(code);
  });

  test("the log of a pod that is on no node is empty", async () => {
    const { status, text, headers } = await cluster.request("GET", `${pods}/waiting/log`);
    expect([status, text, headers["content-type"]]).toEqual([200, "", "text/plain"]);
  });
});
