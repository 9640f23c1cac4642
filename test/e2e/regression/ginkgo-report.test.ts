import assert from "node:assert/strict";
import { test } from "node:test";
import { namesInReport, readGinkgoReport } from "./ginkgo-report.ts";
import { unknownAmong } from "./specs.ts";

const spec = (LeafNodeText: string, rest: object) => ({
  ContainerHierarchyTexts: ["NodeClaim", "Standalone"],
  LeafNodeText,
  LeafNodeType: "It",
  State: "passed",
  RunTime: 1_500_000_000,
  ...rest,
});

test("a report tells what was run, and where it failed", () => {
  const report = [
    {
      SpecReports: [
        spec("", { LeafNodeType: "BeforeSuite", ContainerHierarchyTexts: null }),
        spec("works", {}),
        spec("is left out", { State: "skipped" }),
        spec("fails", {
          State: "failed",
          Failure: { Message: "expected 1\n", Location: { FileName: "/suite/nodeclaim_test.go", LineNumber: 7 } },
        }),
      ],
    },
  ];
  assert.deepEqual(readGinkgoReport(JSON.stringify(report)), [
    { text: "NodeClaim Standalone works", state: "passed", seconds: 1.5, failure: undefined },
    {
      text: "NodeClaim Standalone fails",
      state: "failed",
      seconds: 1.5,
      failure: "failed at nodeclaim_test.go:7: expected 1",
    },
  ]);
});

test("specs that are neither tried nor left out are found, whether they were run or not", () => {
  const inGroup = (group: string, name: string) =>
    spec(name, { ContainerHierarchyTexts: [group], State: "skipped", RunTime: 0 });
  const report = [
    {
      SpecReports: [
        inGroup("Termination", "should drain pods on a node in order"),
        inGroup("Drift", "should update the nodepool-hash annotation on all pods"),
        inGroup("Termination", "should do something new"),
        spec("is to come", { State: "pending" }),
      ],
    },
  ];
  assert.deepEqual(unknownAmong(namesInReport(JSON.stringify(report))), ["Termination should do something new"]);
});
