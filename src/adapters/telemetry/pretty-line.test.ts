import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { prettyLine } from "./pretty-line.ts";

test("a line for people says when, who, what and with what", () => {
  const line = JSON.stringify({
    level: "INFO",
    time: "2026-01-02T03:04:05.678Z",
    logger: "controller",
    controller: "provisioner",
    message: "created nodeclaim",
    NodeClaim: { name: "default-x7k2p" },
    Pod: { name: "a", namespace: "b" },
    requests: { cpu: "6" },
    Pods: "b/a and 2 other(s)",
    count: 3,
  });
  assert.equal(
    stripVTControlCharacters(prettyLine(line)),
    '03:04:05 INFO   provisioner  created nodeclaim  NodeClaim=default-x7k2p  Pod=b/a  requests={"cpu":"6"}  Pods="b/a and 2 other(s)"  count=3\n',
  );
});

test("a line is coloured by its level", () => {
  assert.ok(prettyLine('{"level":"ERROR","time":"","message":"no"}').includes("\u001b[31mERROR\u001b[39m"));
});
