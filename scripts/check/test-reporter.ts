// A reporter for `node --test` that writes one JSON object a line, for run-tests.ts to read.
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** How long something took that is in no group: a test, or a group with all its tests, which may run side by side. */
export interface TopLevelTime {
  readonly kind: "topLevel";
  readonly file: string;
  readonly seconds: number;
}

/** What became of one test; groups of tests are not among them. */
export interface TestOutcome {
  readonly kind: "test";
  readonly file: string;
  /** With the names of the groups that it is in. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped" | "todo";
  readonly seconds: number;
  readonly error?: string;
}

/** Comes last, and only when all tests came to an end. */
export interface TestSummary {
  readonly kind: "summary";
  readonly isOk: boolean;
}

export type TestReport = TestOutcome | TopLevelTime | TestSummary;

// biome-ignore lint/style/noDefaultExport: it is how Node takes a reporter
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const names: string[] = [];
  for await (const event of events) {
    if (event.type === "test:start") names[event.data.nesting] = event.data.name;
    else if (event.type === "test:pass" || event.type === "test:fail") {
      const { nesting, details, file = "" } = event.data;
      const seconds = details.duration_ms / 1000;
      if (nesting === 0) yield line({ kind: "topLevel", file, seconds });
      // A group fails with its tests, and says nothing of its own unless its hooks failed.
      const isGroup = details.type === "suite";
      const failure = event.type === "test:fail" ? event.data.details.error : undefined;
      if (isGroup && (failure === undefined || isOfSubtests(failure))) continue;
      yield line({
        kind: "test",
        file,
        name: names.slice(0, nesting + 1).join(" › "),
        outcome: outcomeOf(event.data, failure !== undefined),
        seconds,
        ...(failure === undefined ? {} : { error: inspect(failure.cause ?? failure) }),
      });
    } else if (event.type === "test:summary" && event.data.file === undefined) {
      yield line({ kind: "summary", isOk: event.data.success });
    }
  }
}

function isOfSubtests(failure: Error): boolean {
  return "failureType" in failure && failure.failureType === "subtestsFailed";
}

function outcomeOf(
  { skip, todo }: { readonly skip?: string | boolean; readonly todo?: string | boolean },
  hasFailed: boolean,
): TestOutcome["outcome"] {
  if (skip !== undefined && skip !== false) return "skipped";
  if (todo !== undefined && todo !== false) return "todo";
  return hasFailed ? "failed" : "passed";
}

function line(report: TestReport): string {
  return `${JSON.stringify(report)}\n`;
}
