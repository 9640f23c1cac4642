import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkLayers } from "./check-layers.ts";

function check(path: string, source = ""): string[] {
  return checkLayers(new Map([[path, source]]));
}

const allowed: [path: string, source: string][] = [
  ["src/core/model/pod.ts", `import type { Labels } from "./labels.ts";`],
  ["src/core/scheduling/pack.ts", `import { fits } from "../model/resources.ts";`],
  ["src/core/disruption/consolidate.ts", `import { pack } from "../scheduling/pack.ts";`],
  ["src/core/model/pod.test.ts", `import assert from "node:assert/strict";\nimport { it } from "node:test";`],
  [
    "src/core/model/pod.test.ts",
    `import fc from "fast-check";\nimport { aPod } from "../../../test/support/a-pod.ts";`,
  ],
  ["src/ports/kube.ts", `import type { Pod } from "../core/model/pod.ts";`],
  ["src/ports/kube.ts", `export type { Pod } from "../core/model/pod.ts";`],
  ["src/runtime/queue.ts", `import type { Clock } from "../ports/clock.ts";`],
  ["src/controllers/observer/watch.ts", `import { observer } from "./observer.ts";`],
  ["src/controllers/observer.test.ts", `import { observer } from "./observer.ts";`],
  ["src/controllers/provisioner/act.ts", `import { pack } from "../../core/scheduling/pack.ts";`],
  ["src/adapters/kube/client.ts", `import { Agent } from "undici";\nimport { readFileSync } from "node:fs";`],
  ["src/adapters/aws/ec2.ts", `const { EC2Client } = await import("@aws-sdk/client-ec2");`],
  ["src/adapters/planner/worker.ts", `import { pack } from "../../core/scheduling/pack.ts";`],
  ["src/operator/wire.ts", `import { kwok } from "../adapters/kwok/kwok.ts";`],
  [
    "src/cli/main.ts",
    `import { run } from "../operator/run.ts";\nimport manifest from "../../package.json" with { type: "json" };`,
  ],
  ["src/ui/style.css", `@import "anything";`],
];

const refused: [path: string, source: string, reason: RegExp][] = [
  ["src/sideways/x.ts", "", /in no layer/],
  ["src/loose.ts", "", /in no layer/],
  ["src/core/loose.ts", "", /in no layer/],
  ["src/core/helpers/x.ts", "", /in no layer/],
  ["src/core/helpers/data.json", "{}", /in no layer/],
  [
    "src/core/model/pod.ts",
    `import { pack } from "../scheduling/pack.ts";`,
    /core\/model may not import core\/scheduling/,
  ],
  ["src/core/model/pod.ts", `import type { Plan } from "../scheduling/plan.ts";`, /may not import core\/scheduling/],
  ["src/core/model/pod.ts", `export * from "../api/pod.ts";`, /may not import core\/api/],
  ["src/core/model/pod.ts", `import {\n  type A,\n  b,\n} from "../api/pod.ts";`, /may not import core\/api/],
  ["src/core/model/pod.ts", `import "node:fs";`, /no packages, and imports "node:fs"/],
  ["src/core/model/pod.ts", `import type { Pod } from "kubernetes-types";`, /no packages/],
  ["src/core/model/pod.ts", `type Pod = import("kubernetes-types").Pod;`, /no packages/],
  ["src/core/model/pod.ts", `const yaml = require("yaml");`, /no packages/],
  ["src/core/model/pod.ts", `const yaml = await import(name);`, /must name its module/],
  ["src/core/model/pod.ts", `/// <reference types="node" />`, /reference/],
  ["src/core/model/pod.ts", `import { it } from "node:test";`, /no packages/],
  ["src/core/model/pod.ts", `import { aPod } from "../../../test/support/a-pod.ts";`, /in no layer/],
  ["src/core/model/pod.test.ts", `import { readFileSync } from "node:fs";`, /no packages/],
  ["src/core/model/pod.test.ts", `import { pack } from "../scheduling/pack.ts";`, /may not import core\/scheduling/],
  ["src/core/scheduling/pack.ts", `import { x } from "../disruption/x.ts";`, /may not import core\/disruption/],
  ["src/core/lifecycle/step.ts", `import { x } from "../termination/x.ts";`, /may not import core\/termination/],
  ["src/core/cluster/fold.ts", `import type { Kube } from "../../ports/kube.ts";`, /may not import ports/],
  ["src/ports/kube.ts", `import { Pod } from "../core/model/pod.ts";`, /only types/],
  ["src/ports/kube.ts", `import { type Pod } from "../core/model/pod.ts";`, /only types/],
  ["src/ports/kube.ts", `import type { Step } from "../core/lifecycle/step.ts";`, /may not import core\/lifecycle/],
  ["src/runtime/queue.ts", `import type { Pod } from "../core/model/pod.ts";`, /may not import core\/model/],
  ["src/controllers/observer.ts", `import { launch } from "./launcher.ts";`, /may not import controllers\/launcher/],
  [
    "src/controllers/observer/a.ts",
    `import { kwok } from "../../adapters/kwok/kwok.ts";`,
    /may not import adapters\/kwok/,
  ],
  ["src/controllers/observer/a.ts", `import pino from "pino";`, /no packages/],
  ["src/adapters/kube/a.ts", `import { x } from "../aws/x.ts";`, /may not import adapters\/aws/],
  [
    "src/adapters/kube/a.ts",
    `import { pack } from "../../core/scheduling/pack.ts";`,
    /may not import core\/scheduling/,
  ],
  ["src/adapters/kwok/a.ts", `import { EC2Client } from "@aws-sdk/client-ec2";`, /only adapters\/aws/],
  ["src/cli/main.ts", `import { EC2Client } from "@aws-sdk/client-ec2";`, /only adapters\/aws/],
  ["src/embedded/a.ts", `import { x } from "../controllers/observer.ts";`, /may not import controllers\/observer/],
  ["src/embedded/a.ts", `import { x } from "../operator/x.ts";`, /may not import operator/],
  ["src/operator/a.ts", `import { x } from "../cli/x.ts";`, /may not import cli/],
  ["src/cli/a.ts", `import { x } from "../ui/x.ts";`, /may not import ui/],
  ["src/cli/a.ts", `import { x } from "../../scripts/x.ts";`, /in no layer/],
];

describe("check-layers", () => {
  for (const [path, source] of allowed) {
    it(`lets ${path} say: ${source}`, () => {
      assert.deepEqual(check(path, source), []);
    });
  }

  for (const [path, source, reason] of refused) {
    it(`refuses that ${path} says: ${source || "anything"}`, () => {
      const refusals = check(path, source);
      assert.equal(refusals.length, 1, refusals.join("\n"));
      assert.match(refusals[0] ?? "", reason);
    });
  }

  it("names the file and the line", () => {
    assert.deepEqual(
      check("src/runtime/a.ts", `import type { Clock } from "../ports/clock.ts";\nimport "node:fs";\n`),
      ['src/runtime/a.ts:2: runtime may import no packages, and imports "node:fs"'],
    );
  });

  it("is not fooled by words in comments and strings", () => {
    const source = `/** import {x} from "y" */\n// import "y"\nconst a = 'from "y"';\nexport const b = "import";\nimport.meta.url;\n`;
    assert.deepEqual(check("src/core/model/pod.ts", source), []);
  });
});
