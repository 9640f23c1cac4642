import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../ports/clock.ts";
import type { KubeResponse, KubeWatchEvent } from "../../ports/kube-transport.ts";
import { HttpKubeTransport, type HttpKubeTransportOptions } from "./http-kube-transport.ts";
import { type KubeCredentials, unchangingCredentials } from "./kube-access.ts";

const clock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timeout = setTimeout(callback, milliseconds);
    return { cancel: () => clearTimeout(timeout) };
  },
};

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** One answer for each path. */
const answers = new Map<string, Answer>();
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  answers.get(request.url ?? "")?.(request, response, body);
});
const json = { "content-type": "application/json" };
const added = (name: string) => ({ type: "ADDED", object: { metadata: { name } } });

let url = "";
const transports: HttpKubeTransport[] = [];

function connect(options: Partial<HttpKubeTransportOptions> & { credentials?: KubeCredentials; base?: string } = {}) {
  const { credentials = unchangingCredentials({}), base = "", ...rest } = options;
  const access = { server: `${url}${base}`, tls: {}, credentials };
  const transport = new HttpKubeTransport({ access, clock, userAgent: "karpenter-ts/1.2.3", ...rest });
  transports.push(transport);
  return transport;
}

/** What a watch of that path tells, and that it has told it. */
async function watch(path: string, options: Parameters<typeof connect>[0] = {}) {
  const told: unknown[] = [];
  const over = Promise.withResolvers<void>();
  const close = await connect(options).watch(
    { method: "GET", path },
    {
      onEvent: (event: KubeWatchEvent) => void told.push(event),
      onRefusal: (response: KubeResponse) => {
        told.push(response);
        over.resolve();
      },
      onEnd: () => {
        told.push("end");
        over.resolve();
      },
    },
  );
  return { told, close, over: over.promise };
}

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  await Promise.all(transports.map((transport) => transport.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe("a request", () => {
  it("goes out with what it has, below the path of the server", async () => {
    let seen: unknown;
    answers.set("/k8s/api?limit=1", ({ method, headers }, response, body) => {
      const { accept, authorization, "user-agent": agent, "content-type": contentType } = headers;
      seen = { method, accept, authorization, agent, contentType, body };
      response.writeHead(429, { ...json, "retry-after": "7" }).end('{"kind":"Status"}');
    });
    const credentials = unchangingCredentials({ authorization: "Bearer abc" });
    const body = { data: "ö" };
    const response = await connect({ credentials, base: "/k8s/" }).send({ method: "POST", path: "/api?limit=1", body });
    assert.deepEqual(response, { status: 429, body: { kind: "Status" }, retryAfterSeconds: 7 });
    assert.deepEqual(seen, {
      method: "POST",
      accept: "application/json",
      authorization: "Bearer abc",
      agent: "karpenter-ts/1.2.3",
      contentType: "application/json",
      body: '{"data":"ö"}',
    });
  });

  it("gets text where the answer is text, or nothing", async () => {
    answers.set("/readyz", (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("ok"));
    answers.set("/empty", (_, response) => void response.writeHead(200, json).end());
    const transport = connect();
    assert.deepEqual(await transport.send({ method: "GET", path: "/readyz" }), { status: 200, body: "ok" });
    assert.deepEqual(await transport.send({ method: "GET", path: "/empty" }), { status: 200, body: "" });
  });

  it("is rejected, by name, when the answer is garbage, cut, late, a trickle or not HTTP", async () => {
    answers.set("/garbage", (_, response) => void response.writeHead(200, json).end("{secret"));
    answers.set("/cut", (_, response) => {
      response.writeHead(200, { ...json, "content-length": 1000 });
      response.write('{"a":', () => response.destroy());
    });
    answers.set("/never", () => {});
    answers.set("/trickle", (_, response) => {
      response.writeHead(200, json);
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    });
    answers.set("/nonsense", (request) => void request.socket.end("nonsense\r\n\r\n"));
    const transport = connect({ requestTimeoutMs: 200 });
    const send = (path: string) => transport.send({ method: "GET", path });
    await assert.rejects(send("/garbage"), {
      message: "The answer to GET /garbage says that it is JSON, and is not (7 characters)",
    });
    await assert.rejects(send("/cut"), { message: "No whole answer to GET /cut: other side closed" });
    await assert.rejects(send("/never"), { message: "No whole answer to GET /never: 0.2 s have passed" });
    await assert.rejects(send("/trickle"), { message: "No whole answer to GET /trickle: 0.2 s have passed" });
    await assert.rejects(send("/nonsense"), /^Error: No whole answer to GET \/nonsense: /);
    await assert.rejects(send("/with space"), /^Error: No whole answer to GET \/with space: /);
  });

  it("is rejected when nobody listens, and after the transport was closed", async () => {
    const access = { server: "http://127.0.0.1:1", tls: {}, credentials: unchangingCredentials({}) };
    const transport = new HttpKubeTransport({ access, clock, userAgent: "test" });
    const send = () => transport.send({ method: "GET", path: "/api" });
    await assert.rejects(send(), { message: "No whole answer to GET /api: connect ECONNREFUSED 127.0.0.1:1" });
    await transport.close();
    await assert.rejects(send(), { message: "The connection to http://127.0.0.1:1 is closed" });
  });

  it("waits for a connection no longer than for an answer, and leaves the connection to others", async () => {
    answers.set("/stuck", (_, response) => void setTimeout(() => response.writeHead(200, json).end("{}"), 150));
    const transport = connect({ maxConnections: 1, requestTimeoutMs: 200 });
    const send = () => transport.send({ method: "GET", path: "/stuck" });
    const [first, second] = await Promise.allSettled([send(), send()]);
    assert.deepEqual([first.status, second.status], ["fulfilled", "rejected"]);
    assert.equal((await send()).status, 200);
  });

  it("keeps to the rate limit, which watches do not share", async () => {
    answers.set("/quick", (_, response) => void response.writeHead(200, json).end("{}"));
    const transport = connect({ rateLimit: { qps: 50, burst: 2 } });
    const start = performance.now();
    await Promise.all(Array.from({ length: 7 }, () => transport.send({ method: "GET", path: "/quick" })));
    const tookMs = performance.now() - start;
    assert.ok(tookMs >= 95, `seven requests took ${tookMs} ms`);
  });

  it("is tried once more when the server would not have the first credentials", async () => {
    answers.set("/private", ({ headers }, response) => {
      const isRight = headers.authorization === "Bearer new";
      response.writeHead(isRight ? 200 : 401, json).end(JSON.stringify({ isRight }));
    });
    const renewable = (next: string): KubeCredentials => {
      let credential = { authorization: "Bearer old" };
      return {
        current: async () => credential,
        async renew() {
          credential = { authorization: next };
          return true;
        },
      };
    };
    const send = (credentials: KubeCredentials) => connect({ credentials }).send({ method: "GET", path: "/private" });
    assert.deepEqual(await send(renewable("Bearer new")), { status: 200, body: { isRight: true } });
    assert.equal((await send(renewable("Bearer wrong"))).status, 401);
    assert.equal((await send(unchangingCredentials({ authorization: "Bearer old" }))).status, 401);
    answers.set("/private?watch=true", ({ headers }, response) => {
      response.writeHead(headers.authorization === "Bearer new" ? 200 : 401, json).end(JSON.stringify(added("a")));
    });
    const { told, over } = await watch("/private?watch=true", { credentials: renewable("Bearer new") });
    await over;
    assert.deepEqual(told, ["end"]);
  });
});

describe("a watch", () => {
  it("tells events as they come, then that it ended, once", async () => {
    answers.set("/two", (_, response) => {
      response.writeHead(200, json).write(`${JSON.stringify(added("one"))}\n{"type":"ADD`);
      setTimeout(() => response.end(`ED","object":{"metadata":{"name":"two"}}}\n`), 20);
    });
    const { told, over } = await watch("/two");
    await over;
    await sleep(20);
    assert.deepEqual(told, [added("one"), added("two"), "end"]);
  });

  it("is refused with the answer, and nothing else is told", async () => {
    answers.set("/gone", (_, response) => void response.writeHead(410, { ...json, "retry-after": "1" }).end('{"a":1}'));
    const { told } = await watch("/gone");
    assert.deepEqual(told, [{ status: 410, body: { a: 1 }, retryAfterSeconds: 1 }]);
  });

  it("ends when it is cut in the middle of an event", async () => {
    answers.set("/half", (_, response) => {
      response.writeHead(200, json).write(`${JSON.stringify(added("one"))}\n{"type":"MODI`);
      setTimeout(() => response.destroy(), 20);
    });
    const { told, over } = await watch("/half");
    await over;
    assert.deepEqual(told, [added("one"), "end"]);
  });

  it("says that it cannot be read, and ends", async () => {
    answers.set("/html", (_, response) => {
      response.writeHead(200, json).write(`${JSON.stringify(added("one"))}\n<html>\n${JSON.stringify(added("two"))}\n`);
    });
    const { told, over } = await watch("/html");
    await over;
    const status = (told[1] as { object: { message: string; code: number } }).object;
    assert.deepEqual([told[0], told[2], told.length], [added("one"), "end", 3]);
    assert.deepEqual(
      [status.message, status.code],
      ["The stream of GET /html cannot be read: a line is not JSON", 500],
    );
  });

  it("ends after a long silence, not while something comes", async () => {
    let sent = 0;
    answers.set("/silent", (_, response) => {
      response.writeHead(200, json).flushHeaders();
      const timer = setInterval(() => {
        response.write(`${JSON.stringify(added(String(sent)))}\n`);
        if (++sent === 5) clearInterval(timer);
      }, 40);
    });
    const { told, over } = await watch("/silent", { watchSilenceMs: 250 });
    await over;
    assert.deepEqual([sent, told.length, told.at(-1)], [5, 6, "end"]);
  });

  it("ends once two bookmarks are missing", async () => {
    answers.set("/dead", (_, response) => response.writeHead(200, json).flushHeaders());
    const delays: number[] = [];
    const spied: Clock = {
      now: clock.now,
      after(milliseconds, callback) {
        delays.push(milliseconds);
        return clock.after(milliseconds, callback);
      },
    };
    const { close } = await watch("/dead", { clock: spied });
    close();
    assert.equal(delays.at(-1), 120_000);
  });

  it("is rejected when the server says nothing", async () => {
    answers.set("/mute", () => {});
    const opening = watch("/mute", { requestTimeoutMs: 50 });
    await assert.rejects(opening, { message: "No whole answer to GET /mute: 0.05 s have passed" });
  });

  it("is rejected when the transport is closed before the server says anything", async () => {
    const arrived = Promise.withResolvers<void>();
    answers.set("/opening", () => arrived.resolve());
    const transport = connect();
    const ignored = { onEvent: () => {}, onRefusal: () => {}, onEnd: () => {} };
    const opening = transport.watch({ method: "GET", path: "/opening" }, ignored);
    const isRejected = assert.rejects(opening, { message: "No whole answer to GET /opening: it was closed" });
    await arrived.promise;
    await transport.close();
    await isRejected;
  });

  it("tells nothing after it was closed, and lets go of its connection at once", async () => {
    const left = Promise.withResolvers<void>();
    answers.set("/long", (_, response) => {
      response.writeHead(200, json).write(`${JSON.stringify(added("one"))}\n${JSON.stringify(added("two"))}\n`);
      response.on("close", () => left.resolve());
    });
    const told: unknown[] = [];
    const transport = connect();
    const first = Promise.withResolvers<void>();
    const close = await transport.watch(
      { method: "GET", path: "/long" },
      { onEvent: (event) => first.resolve(void told.push(event)), onRefusal: () => {}, onEnd: () => told.push("end") },
    );
    await first.promise;
    close();
    close();
    await left.promise;
    assert.deepEqual(told, [added("one"), added("two")]);
  });

  it("keeps no request waiting, however many there are", async () => {
    answers.set("/open", (_, response) => response.writeHead(200, json).flushHeaders());
    answers.set("/now", (_, response) => void response.writeHead(200, json).end("{}"));
    const transport = connect({ maxConnections: 1 });
    const ignored = { onEvent: () => {}, onRefusal: () => {}, onEnd: () => {} };
    for (let i = 0; i < 20; i++) await transport.watch({ method: "GET", path: "/open" }, ignored);
    assert.equal((await transport.send({ method: "GET", path: "/now" })).status, 200);
  });
});
