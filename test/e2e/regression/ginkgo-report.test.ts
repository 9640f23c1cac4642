import assert from "node:assert/strict";
import { test } from "node:test";
import { readGinkgoReport } from "./ginkgo-report.ts";

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
