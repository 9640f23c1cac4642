import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readEc2NodeClass } from "../../src/adapters/aws/node-class/read-node-class.ts";
import { ec2NodeClassDefinition } from "../../src/core/api/definitions/ec2-node-class.ts";
import { applyDefaults } from "../../src/core/api/schema/apply-defaults.ts";
import { readSchema } from "../../src/core/api/schema/schema-node.ts";
import { ec2NodeClassCases } from "./cases/ec2-node-class-cases.ts";

const schema = readSchema(ec2NodeClassDefinition.spec.versions[0].schema.openAPIV3Schema);
const taken = ec2NodeClassCases.filter(({ refusal }) => refusal === undefined);

describe("readEc2NodeClass", () => {
  for (const { title, object } of taken) {
    it(`reads what the API server takes, ${title}, and gives it the same defaults`, () => {
      const bare = { metadata: { name: "default" }, ...structuredClone(object) };
      const stored = structuredClone(bare);
      applyDefaults(schema, stored);
      const read = readEc2NodeClass(bare);
      assert.deepEqual([read.problems, read], [undefined, readEc2NodeClass(stored)]);
    });
  }
});
