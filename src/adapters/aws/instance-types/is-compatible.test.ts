import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instanceTypeInfo } from "../../../../test/support/instance-type-info.ts";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import type { PlacementGroup } from "../aws-parts.ts";
import type { Ec2NodeClassSpec } from "../node-class/ec2-node-class.ts";
import { isCompatible } from "./is-compatible.ts";
import { readMachineType } from "./machine-type.ts";
import { RequirementPool } from "./requirement-pool.ts";

const plain = instanceTypeInfo("m5.large");

function fits(info = plain, spec: Partial<Ec2NodeClassSpec> = {}, group?: PlacementGroup): boolean {
  const machine = readMachineType(info, new RequirementPool(), () => []);
  assert.ok(machine !== undefined);
  return isCompatible(machine, modelEc2NodeClass({ spec }).spec, group);
}

describe("a machine fits a node class", () => {
  it("unless Amazon Linux 2023 does not run on it", () => {
    const a1 = instanceTypeInfo("a1.large", { arch: "arm64" });
    assert.deepEqual([fits(a1), fits(a1, { amiFamily: "Bottlerocket" }), fits()], [false, true, true]);
  });

  it("when it takes the interfaces", () => {
    const cards = [0, 1].map((NetworkCardIndex) => ({ NetworkCardIndex, MaximumNetworkInterfaces: 2 }));
    const network = { ...plain.NetworkInfo, NetworkCards: cards, EfaInfo: { MaximumEfaInterfaces: 1 } };
    const info = { ...plain, NetworkInfo: network };
    const at = (
      networkCardIndex: number,
      deviceIndex: number,
      interfaceType: "interface" | "efa-only" = "interface",
    ) => ({
      networkCardIndex,
      deviceIndex,
      interfaceType,
    });
    assert.equal(fits(info, { networkInterfaces: [at(0, 0), at(1, 1, "efa-only")] }), true);
    assert.equal(fits(info, { networkInterfaces: [at(2, 0)] }), false);
    assert.equal(fits(info, { networkInterfaces: [at(0, 2)] }), false);
    assert.equal(fits(info, { networkInterfaces: [at(0, 1, "efa-only"), at(1, 1, "efa-only")] }), false);
    const withoutEna = { ...plain, NetworkInfo: { ...network, EnaSupport: "unsupported" as const } };
    assert.equal(fits(withoutEna, { networkInterfaces: [at(0, 0)] }), false);
  });

  it("when it runs virtual machines of its own, if that is asked for", () => {
    const features = ["nested-virtualization" as "amd-sev-snp"];
    const able = { ...plain, ProcessorInfo: { ...plain.ProcessorInfo, SupportedFeatures: features } };
    const asked = (nestedVirtualization: "enabled" | "disabled") => ({ cpuOptions: { nestedVirtualization } });
    assert.deepEqual([fits(able, asked("enabled")), fits(plain, asked("enabled"))], [true, false]);
    assert.equal(fits(plain, asked("disabled")), true);
  });

  it("when it can be in the placement group", () => {
    const group = { id: "pg-1", name: "racks", strategy: "cluster" as const, partitions: 0 };
    const spread = { ...plain, PlacementGroupInfo: { SupportedStrategies: ["spread" as const] } };
    assert.deepEqual([fits(plain, {}, group), fits(spread, {}, group)], [true, false]);
  });

  it("when its hypervisor tracks connections, if that is asked for", () => {
    const connectionTracking = { tcpEstablishedTimeout: 60, udpStreamTimeout: undefined, udpTimeout: undefined };
    const xen = { ...plain, Hypervisor: "xen" as const };
    assert.deepEqual([fits(plain, { connectionTracking }), fits(xen, { connectionTracking })], [true, false]);
  });
});
