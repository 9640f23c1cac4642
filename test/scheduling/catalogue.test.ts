import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readInstanceTypes } from "../../src/core/api/read-instance-types.ts";
import type { NodePool } from "../../src/core/model/node-pool.ts";
import { makeRequirement } from "../../src/core/model/requirements.ts";
import { catalogueOf } from "../../src/core/scheduling/catalogue.ts";
import { modelPlannedPool } from "../support/model-pool.ts";

const { instanceTypes } = readInstanceTypes(
  ["amd64", "arm64"].map((architecture) => ({
    name: `m-${architecture}`,
    architecture,
    operatingSystems: ["linux"],
    resources: { cpu: "2", memory: "8Gi" },
    offerings: ["a", "b"].map((zone) => ({
      Price: 0.1,
      Requirements: [
        { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] },
        { key: "topology.kubernetes.io/zone", operator: "In", values: [zone] },
      ],
    })),
  })),
);
const pool = modelPlannedPool("default", {
  requirements: new Map([["kubernetes.io/arch", makeRequirement("In", ["arm64"])]]),
  instanceTypes,
});

describe("the catalogue of a pool", () => {
  it("has its rows in common with that of the same pool with other limits", () => {
    const limited = { ...pool, limits: new Map([["cpu", 4_000_000]]) };
    const [one, other] = [catalogueOf(pool), catalogueOf(limited)];
    assert.deepEqual([one.pool, other.pool], [pool, limited]);
    assert.equal(other.rows, one.rows);
    assert.deepEqual(
      one.rows.map(({ type, zone }) => [type.name, zone]),
      [
        ["m-arm64", "a"],
        ["m-arm64", "b"],
      ],
    );
  });

  it("is another one where anything else differs that decides what it sells", () => {
    const others: readonly NodePool[] = [
      { ...pool, instanceTypes: instanceTypes.toReversed() },
      { ...pool, requirements: new Map() },
      { ...pool, labels: new Map([["topology.kubernetes.io/zone", "a"]]) },
      { ...pool, name: "other" },
    ];
    const { rows } = catalogueOf(pool);
    for (const other of others) assert.notEqual(catalogueOf(other).rows, rows);
  });
});
