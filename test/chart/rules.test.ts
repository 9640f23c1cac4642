import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { permissionsOf, type RuleFile, readRules } from "./chart-files.ts";
import { findKubeCalls, type KubeCall, type Party } from "./kube-calls.ts";

const calls = findKubeCalls(join(import.meta.dirname, "../../src"));
const words = ({ verb, group, resource }: KubeCall) => `${verb} ${group} ${resource}`;
const isLease = ({ resource }: KubeCall) => resource === "leases";
/** Asked for by name and in one namespace. */
const isDns = ({ party, resource, verb }: KubeCall) => party === "aws" && resource === "services" && verb === "get";
const needs = (party: Party) => calls.filter((call) => call.party === party && !isLease(call) && !isDns(call));
const core = new Set(needs("core").map(words));
const needsBesides = (party: Party) => needs(party).filter((call) => !core.has(words(call)));

describe("the permissions of the chart", () => {
  const expected: Readonly<Record<RuleFile, readonly KubeCall[]>> = {
    core: needs("core"),
    aws: needsBesides("aws"),
    kwok: needsBesides("kwok"),
    lease: calls.filter(isLease),
    dns: calls.filter(isDns),
  };
  for (const [file, needed] of Object.entries(expected)) {
    it(`in rules/${file}.yaml are what the code asks for, no less and no more`, () => {
      assert.deepEqual(permissionsOf(readRules(file as RuleFile)), needed.map(words).sort());
    });
  }

  it("reach nothing but the Lease and the Service that are named", () => {
    const named = [...readRules("lease"), ...readRules("dns")].map(({ resourceNames, verbs }) => [
      resourceNames?.join() ?? "",
      verbs.join(),
    ]);
    assert.deepEqual(named, [
      ["karpenter-leader-election", "get,patch"],
      ["", "create"],
      ["kube-dns", "get"],
    ]);
  });
});
