import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyLimitRanges, readContainerDefaults } from "./apply-limit-ranges.ts";

const range = (limits: object[]): unknown => ({ spec: { limits } });
const spec = (resources: object): object => ({ containers: [{ name: "c", resources }] });

describe("applyLimitRanges", () => {
  it("gives containers the limits and requests that they do not name", () => {
    const defaults = readContainerDefaults(
      range([
        { type: "Container", default: { cpu: "2", memory: "4Gi" }, defaultRequest: { cpu: "1" } },
        { type: "Pod", max: { cpu: "9" } },
      ]),
    );
    assert.deepEqual(applyLimitRanges(spec({}), [defaults]), {
      containers: [
        { name: "c", resources: { limits: { cpu: "2", memory: "4Gi" }, requests: { cpu: "1", memory: "4Gi" } } },
      ],
    });
  });

  it("leaves what they name, and takes their own limit for the request", () => {
    const defaults = readContainerDefaults(
      range([{ type: "Container", default: { cpu: "2" }, defaultRequest: { cpu: "1" } }]),
    );
    assert.deepEqual(applyLimitRanges(spec({ limits: { cpu: "500m" } }), [defaults]), {
      containers: [{ name: "c", resources: { limits: { cpu: "500m" }, requests: { cpu: "500m" } } }],
    });
    assert.deepEqual(applyLimitRanges(spec({ requests: { cpu: "100m" } }), [defaults]), {
      containers: [{ name: "c", resources: { limits: { cpu: "2" }, requests: { cpu: "100m" } } }],
    });
  });

  it("completes init containers too, and minds no nonsense", () => {
    const defaults = readContainerDefaults(range([{ type: "Container", default: { cpu: "2" } }]));
    assert.deepEqual(applyLimitRanges({ containers: "none", initContainers: [7, {}] }, [defaults]), {
      containers: [],
      initContainers: [7, { resources: { limits: { cpu: "2" }, requests: { cpu: "2" } } }],
    });
    assert.deepEqual(readContainerDefaults({ spec: { limits: "all" } }), { limits: {}, requests: {} });
    assert.equal(applyLimitRanges(undefined, [defaults]), undefined);
  });
});
