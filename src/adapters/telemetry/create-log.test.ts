import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { createLog, type LogOptions, type OpenLog } from "./create-log.ts";

const start = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

suite("log", () => {
  test("a line has the keys of the Go version, in its order", () => {
    const lines = logged({ commit: "abc" }, (log) => {
      log.with({ controller: "nodeclaim.lifecycle" }).info("launched nodeclaim", {
        NodeClaim: { name: "default-x7k2p" },
        "instance-type": "c-8x-amd64-linux",
      });
    });
    assert.deepEqual(lines, [
      '{"level":"INFO","time":"2026-01-02T03:04:05.678Z","logger":"controller","commit":"abc",' +
        '"controller":"nodeclaim.lifecycle","message":"launched nodeclaim","NodeClaim":{"name":"default-x7k2p"},' +
        '"instance-type":"c-8x-amd64-linux"}',
    ]);
  });

  test("a listener hears every line that is written", () => {
    const heard: string[] = [];
    const log = createLog({
      level: "info",
      outputPaths: [],
      errorOutputPaths: [],
      now: () => start,
      onLine: (line) => heard.push(line),
    });
    log.info("hello");
    log.debug("unheard");
    assert.deepEqual(heard, [
      '{"level":"INFO","time":"2026-01-02T03:04:05.678Z","logger":"controller","message":"hello"}\n',
    ]);
  });

  test("an error is told with its causes, each once", () => {
    const refused = new Error("connect ECONNREFUSED", { cause: "no route" });
    const [line] = logged({}, (log) => {
      log.error("cannot launch", { error: new Error("Cannot reach: connect ECONNREFUSED", { cause: refused }) });
    });
    const { error, stack } = JSON.parse(line!) as Record<string, unknown>;
    assert.deepEqual({ error, stack }, { error: "Cannot reach: connect ECONNREFUSED: no route", stack: undefined });
  });

  test("a bug is told with its stack", () => {
    const [line] = logged({}, (log) => log.error("cannot go on", { error: new TypeError("x is not a function") }));
    assert.match((JSON.parse(line!) as { stack: string }).stack, /create-log\.test\.ts/);
  });

  test("maps, sets, big integers and circles can be said", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const [line] = logged({}, (log) => {
      log.info("said", { requests: new Map([["cpu", "2"]]), zones: new Set(["a"]), bytes: 2n ** 64n, circle });
    });
    const { requests, zones, bytes } = JSON.parse(line!) as Record<string, unknown>;
    assert.deepEqual(
      { requests, zones, bytes },
      { requests: { cpu: "2" }, zones: ["a"], bytes: "18446744073709551616" },
    );
  });

  test("lines below the level are not written", () => {
    const messages = (level: LogOptions["level"]) =>
      logged({ level }, (log) => {
        log.debug("small");
        log.info("middling");
        log.error("grave");
      }).map(messageOf);
    assert.deepEqual(messages("debug"), ["small", "middling", "grave"]);
    assert.deepEqual(messages("info"), ["middling", "grave"]);
    assert.deepEqual(messages("error"), ["grave"]);
  });

  test("of the same line in a second come the first hundred, and then each hundredth", () => {
    let now = start;
    const lines = logged({ now: () => now }, (log) => {
      for (let i = 0; i < 350; i++) log.with({ i }).info("again");
      log.info("something else");
      now += 1_000;
      log.info("again", { i: "later" });
    });
    assert.deepEqual(
      lines.slice(100).map((line) => (JSON.parse(line) as { i?: unknown }).i),
      [199, 299, undefined, "later"],
    );
  });

  test("what is said after the end is lost, and does no harm", () => {
    const lines = logged({}, (log) => {
      log.info("heard");
      log.close();
      log.info("lost");
    });
    assert.deepEqual(lines.map(messageOf), ["heard"]);
  });

  test("a file that cannot be opened is named", () => {
    const options = { level: "info", outputPaths: ["/dev/null/log"], errorOutputPaths: [] } as const;
    assert.throws(() => createLog(options), /Cannot open the log "\/dev\/null\/log"/);
  });

  test("every output gets every line", () => {
    const folder = mkdtempSync(join(tmpdir(), "log-"));
    const paths = ["one", "deep/two"].map((name) => join(folder, name));
    const log = createLog({ level: "info", outputPaths: paths, errorOutputPaths: [] });
    log.info("both");
    log.close();
    assert.deepEqual(
      paths.map((path) => messageOf(readFileSync(path, "utf8"))),
      ["both", "both"],
    );
    rmSync(folder, { recursive: true });
  });
});

function logged(options: Partial<LogOptions>, speak: (log: OpenLog) => void): string[] {
  const folder = mkdtempSync(join(tmpdir(), "log-"));
  const path = join(folder, "lines");
  const log = createLog({ level: "info", outputPaths: [path], errorOutputPaths: [], now: () => start, ...options });
  speak(log);
  log.close();
  const lines = readFileSync(path, "utf8").trim().split("\n");
  rmSync(folder, { recursive: true });
  return lines;
}

function messageOf(line: string): string {
  return (JSON.parse(line) as { message: string }).message;
}
