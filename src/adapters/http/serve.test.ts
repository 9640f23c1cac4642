import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type MetricsServerOptions, type Serving, serveHealth, serveMetrics } from "./serve.ts";

const here = { port: 0, host: "127.0.0.1" };
const metrics = { contentType: "text/plain; version=0.0.4; charset=utf-8", scrape: () => pieces("up 1\n", "down 0\n") };
const decisions = () => [];

suite("metrics server", () => {
  test("serves the metrics", async () => {
    assert.deepEqual(await askMetrics({}, "/metrics"), { status: 200, text: "up 1\ndown 0\n" });
  });

  test("says why there are none", async () => {
    const broken = { ...metrics, scrape: () => pieces(new Error("no numbers")) };
    assert.deepEqual(await askMetrics({ metrics: broken }, "/metrics"), { status: 500, text: "no numbers\n" });
  });

  test("cuts off what breaks in the middle, so that nobody takes it for the whole", async () => {
    const broken = { ...metrics, scrape: () => pieces("up 1\n", new Error("no more numbers")) };
    await assert.rejects(askMetrics({ metrics: broken }, "/metrics"));
  });

  test("asks for no more than a client takes, and for nothing once it has gone", async () => {
    let asked = 0;
    let hasEnded = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (; ; asked += 1) yield "x".repeat(64 * 1024);
      } finally {
        hasEnded = true;
      }
    }
    const server = await serveMetrics({
      ...here,
      metrics: { ...metrics, scrape: endless },
      enableProfiling: false,
      decisions,
    });
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    let before = -1;
    while (before !== asked) {
      before = asked;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await response.body?.cancel();
    while (!hasEnded) await new Promise((resolve) => setTimeout(resolve, 1));
    await server.close();
  });

  test("serves the decisions, all or the newest", async () => {
    const some = () => [{ time: 3 }, { time: 2 }, { time: 1 }];
    const ask = async (path: string) => (await askMetrics({ decisions: some }, path)).text;
    assert.equal(await ask("/decisions"), '{"decisions":[{"time":3},{"time":2},{"time":1}]}\n');
    assert.equal(await ask("/decisions?limit=2"), '{"decisions":[{"time":3},{"time":2}]}\n');
    assert.equal(await ask("/decisions?limit=x"), "limit must be a whole number, at least 0\n");
  });

  test("says how to get profiles where they are off", async () => {
    const { status, text } = await askMetrics({}, "/debug/pprof/profile");
    assert.equal(status, 404);
    assert.match(text, /--enable-profiling/);
  });

  test("takes a CPU profile", async () => {
    const { status, text } = await askMetrics({ enableProfiling: true }, "/debug/pprof/profile?seconds=0.05");
    assert.equal(status, 200);
    assert.ok(Array.isArray((JSON.parse(text) as { nodes: unknown }).nodes));
  });

  test("refuses a profile of an unreasonable length", async () => {
    const { status, text } = await askMetrics({ enableProfiling: true }, "/debug/pprof/profile?seconds=long");
    assert.deepEqual({ status, text }, { status: 400, text: "seconds must be a number above 0 and at most 300\n" });
  });

  test("answers nothing but GET and HEAD, and knows no other path", async () => {
    assert.deepEqual(await askMetrics({}, "/metrics", "HEAD"), { status: 200, text: "" });
    assert.equal((await askMetrics({}, "/metrics", "POST")).status, 405);
    assert.equal((await askMetrics({}, "/")).status, 404);
  });

  test("closes although clients keep their connection and a profile is being taken", async () => {
    const server = await serveMetrics({ ...here, metrics, enableProfiling: true, decisions });
    const asked = ask(server, "/debug/pprof/profile?seconds=60").then(
      () => "answered",
      () => "cut off",
    );
    await ask(server, "/metrics");
    await server.close();
    assert.equal(await asked, "cut off");
    await assert.rejects(ask(server, "/metrics"));
  });

  test("says which port it cannot have", async () => {
    const server = await serveMetrics({ ...here, metrics, enableProfiling: false, decisions });
    const second = serveMetrics({ ...here, port: server.port, metrics, enableProfiling: false, decisions });
    await assert.rejects(second, new RegExp(`Cannot listen on 127.0.0.1:${server.port}: .*EADDRINUSE`));
    await server.close();
  });
});

suite("health server", () => {
  const ping = () => undefined;
  const away = () => Promise.reject(new Error("NodePool is not installed"));

  test("is healthy and ready when all checks are", async () => {
    assert.deepEqual(await askHealth("/healthz"), { status: 200, text: "ok\n" });
    assert.deepEqual(await askHealth("/readyz"), { status: 200, text: "ok\n" });
  });

  test("tells each check when asked to", async () => {
    const text = "[+]manager ok\n[+]crd ok\nreadyz check passed\n";
    assert.deepEqual(await askHealth("/readyz?verbose"), { status: 200, text });
  });

  test("tells what is not well, and why", async () => {
    const text = "[+]manager ok\n[-]crd failed: NodePool is not installed\nreadyz check failed\n";
    assert.deepEqual(await askHealth("/readyz", away), { status: 500, text });
    assert.deepEqual(await askHealth("/healthz", away), { status: 200, text: "ok\n" });
  });

  test("answers for one check", async () => {
    assert.deepEqual(await askHealth("/readyz/manager", away), { status: 200, text: "ok\n" });
    assert.equal((await askHealth("/readyz/crd", away)).status, 500);
    assert.deepEqual(await askHealth("/readyz/other"), {
      status: 404,
      text: 'There is no check "other"; there are manager, crd.\n',
    });
  });

  test("knows no other path", async () => {
    assert.equal((await askHealth("/livez")).status, 404);
  });

  async function askHealth(path: string, crd: () => void | Promise<void> = ping): Promise<Answer> {
    const healthChecks = new Map([["healthz", ping]]);
    const readyChecks = new Map<string, () => void | Promise<void>>([
      ["manager", ping],
      ["crd", crd],
    ]);
    return askOnce(await serveHealth({ ...here, healthChecks, readyChecks }), path);
  }
});

async function* pieces(...all: readonly (string | Error)[]): AsyncGenerator<string> {
  for (const one of all) {
    if (one instanceof Error) throw one;
    yield one;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function askMetrics(options: Partial<MetricsServerOptions>, path: string, method = "GET"): Promise<Answer> {
  return askOnce(await serveMetrics({ ...here, metrics, enableProfiling: false, decisions, ...options }), path, method);
}

async function askOnce(server: Serving, path: string, method = "GET"): Promise<Answer> {
  try {
    return await ask(server, path, method);
  } finally {
    await server.close();
  }
}

async function ask({ port }: Serving, path: string, method = "GET"): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return { status: response.status, text: await response.text() };
}
