import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readNodeClass } from "../../core/api/read-node-pool-object.ts";
import { ClusterState } from "../../core/cluster/cluster-state.ts";
import { capacityTypeLabel, zoneLabel } from "../../core/model/labels.ts";
import { offerKey } from "./controller-prices.ts";
import { Ec2Machines } from "./ec2-machines.ts";

const ref = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };

function clusterWith(status: object): ClusterState {
  const cluster = new ClusterState();
  const terms = [{ tags: { a: "b" } }];
  const wire = {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default", uid: "1" },
    spec: {
      role: "nodes",
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: terms,
      securityGroupSelectorTerms: terms,
    },
    status,
  };
  const read = readNodeClass(wire, ref);
  assert.ok(read.problems === undefined);
  cluster.nodeClasses.put("EC2NodeClass/default", read.value);
  return cluster;
}

const settings = { vmMemoryOverheadPercent: 0.075, reservedEnis: 0, isNodeClassCelEnabled: false };
const subnets = ["eu-west-1a", "eu-west-1b"].map((zone) => ({ id: `subnet-${zone}`, zone }));

describe("machines of EC2 without asking AWS", () => {
  it("are sold in the zones of the node class, with sizes and labels of EC2 and rough prices", () => {
    const machines = new Ec2Machines({ cluster: clusterWith({ subnets }), settings, offers: undefined });
    const nano = machines.of(ref)?.find(({ name }) => name === "t3.nano");
    assert.deepEqual(nano?.requirements.get("karpenter.k8s.aws/instance-memory")?.values, new Set(["512"]));
    assert.deepEqual(
      nano?.offerings.map(({ requirements, price }) => [
        ...(requirements.get(capacityTypeLabel)?.values ?? []),
        ...(requirements.get(zoneLabel)?.values ?? []),
        price.toFixed(4),
      ]),
      ["eu-west-1a", "eu-west-1b"].flatMap((zone) => [
        ["on-demand", zone, "0.0052"],
        ["spot", zone, "0.0051"],
      ]),
    );
    assert.equal(machines.isRough, true);
    assert.match(
      machines.notes.join("\n"),
      /^Machines are .*October 2026.* in us-east-1; spot counts as nearly as dear\.$/,
    );
  });

  it("are sold where and for what the controller says", () => {
    const offers = new Map([
      [offerKey({ instanceType: "m5.large", capacityType: "spot", zone: "eu-west-1b" }), 0.04],
      [offerKey({ instanceType: "m5.large", capacityType: "on-demand", zone: "eu-west-1b" }), 0.1],
    ]);
    const machines = new Ec2Machines({ cluster: clusterWith({ subnets }), settings, offers });
    const sold = (machines.of(ref) ?? []).flatMap(({ name, offerings }) =>
      offerings.flatMap(({ isAvailable, price }) => (isAvailable ? [[name, price]] : [])),
    );
    assert.deepEqual(sold, [
      ["m5.large", 0.1],
      ["m5.large", 0.04],
    ]);
    assert.equal(machines.isRough, false);
  });

  it("are tried somewhere, and it is said where, while the node class has no subnets", () => {
    const machines = new Ec2Machines({ cluster: clusterWith({}), settings, offers: undefined });
    assert.equal((machines.of(ref)?.length ?? 0) > 1_300, true);
    assert.match(
      machines.notes[0] ?? "",
      /^EC2NodeClass default has no subnets .*us-east-1a, us-east-1b, us-east-1c\.$/,
    );
  });

  it("are not known for a node class that is not there", () => {
    assert.equal(
      new Ec2Machines({ cluster: clusterWith({}), settings, offers: undefined }).of({ ...ref, name: "other" }),
      undefined,
    );
  });
});
