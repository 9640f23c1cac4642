import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "../../../core/api/problem.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { readEc2NodeClass } from "../node-class/read-node-class.ts";
import { makeTemplateData, type TemplateInput } from "./template-data.ts";
import { templateNameFor } from "./template-name.ts";

describe("makeTemplateData", () => {
  it("says all that machines have in common", () => {
    assert.deepEqual(makeTemplateData(input()), {
      ImageId: "ami-1",
      UserData: "dXNlcg==",
      BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { Encrypted: true, VolumeType: "gp3", VolumeSize: 20 } }],
      IamInstanceProfile: { Name: "profile" },
      Monitoring: { Enabled: false },
      MetadataOptions: {
        HttpEndpoint: "enabled",
        HttpPutResponseHopLimit: 1,
        HttpTokens: "required",
        InstanceMetadataTags: "disabled",
        HttpProtocolIpv6: "disabled",
      },
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: ["sg-1", "sg-2"] }],
      Placement: { Tenancy: "default" },
      EnclaveOptions: { Enabled: false },
      TagSpecifications: [{ ResourceType: "network-interface", Tags: [{ Key: "a", Value: "b" }] }],
      CapacityReservationSpecification: { CapacityReservationPreference: "none" },
    });
  });

  it("keeps to the reservation that it is for", () => {
    const reservation = { id: "cr-1", type: "capacity-block", isInterruptible: false } as const;
    const data = makeTemplateData(input({}, { capacityType: "reserved", reservation }));
    assert.deepEqual(data.CapacityReservationSpecification, {
      CapacityReservationPreference: "capacity-reservations-only",
      CapacityReservationTarget: { CapacityReservationId: "cr-1" },
    });
    assert.deepEqual(data.InstanceMarketOptions, { MarketType: "capacity-block" });
    const off = makeTemplateData(input({}, { isReservedCapacityEnabled: false }));
    assert.equal(off.CapacityReservationSpecification, undefined);
  });

  it("gives addresses to interfaces, but none to those that are for EFA only", () => {
    const spec = {
      ipPrefixCount: 2,
      associatePublicIPAddress: true,
      connectionTracking: { udpTimeout: 40 },
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" },
        { networkCardIndex: 1, deviceIndex: 1, interfaceType: "efa-only" },
      ],
    };
    assert.deepEqual(makeTemplateData(input(spec)).NetworkInterfaces, [
      {
        NetworkCardIndex: 0,
        DeviceIndex: 0,
        InterfaceType: "interface",
        Groups: ["sg-1", "sg-2"],
        AssociatePublicIpAddress: true,
        Ipv4PrefixCount: 2,
        ConnectionTrackingSpecification: { UdpTimeout: 40 },
      },
      { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: "efa-only", Groups: ["sg-1", "sg-2"] },
    ]);
  });

  it("gives an EFA interface to each card, and IPv6 where the cluster speaks it", () => {
    const data = makeTemplateData(input({ ipPrefixCount: 1 }, { efaInterfaces: 2, isIpv6: true }));
    const common = { InterfaceType: "efa", Groups: ["sg-1", "sg-2"] };
    const addresses = { PrimaryIpv6: true, Ipv6AddressCount: 1, Ipv6PrefixCount: 1 };
    assert.deepEqual(data.NetworkInterfaces, [
      { NetworkCardIndex: 0, DeviceIndex: 0, ...common, ...addresses },
      { NetworkCardIndex: 1, DeviceIndex: 1, ...common, ...addresses },
    ]);
  });

  it("rounds volumes up to whole gibibytes, and sends no empty list of them", () => {
    const blockDeviceMappings = [{ deviceName: "/dev/xvda", ebs: { volumeSize: "30G", iops: 0, throughput: 125 } }];
    assert.deepEqual(makeTemplateData(input({ blockDeviceMappings })).BlockDeviceMappings, [
      { DeviceName: "/dev/xvda", Ebs: { Throughput: 125, VolumeSize: 28 } },
    ]);
    const custom = { amiFamily: "Custom", amiSelectorTerms: [{ id: "ami-1" }] };
    assert.equal(makeTemplateData(input(custom)).BlockDeviceMappings, undefined);
  });

  it("leaves out IPv6 metadata where AWS has none, and places machines in their group", () => {
    const placement = { groupId: "pg-1", partition: 3 };
    const data = makeTemplateData(input({}, { region: "us-iso-east-1", placement, tenancy: "dedicated" }));
    assert.equal("HttpProtocolIpv6" in (data.MetadataOptions ?? {}), false);
    assert.deepEqual(data.Placement, { Tenancy: "dedicated", GroupId: "pg-1", PartitionNumber: 3 });
  });

  it("is named after its content, whatever the order of its keys", () => {
    const name = templateNameFor({ a: 1, b: { c: 2, d: 3 } });
    assert.equal(templateNameFor({ b: { d: 3, c: 2 }, a: 1 }), name);
    assert.notEqual(templateNameFor({ a: 1, b: { c: 2, d: 4 } }), name);
    assert.match(name, /^karpenter\.k8s\.aws\/[0-9a-f]{32}$/);
  });
});

function input(spec: object = {}, more: Partial<TemplateInput> = {}): TemplateInput {
  return {
    nodeClass: nodeClassOf(spec),
    region: "us-west-2",
    imageId: "ami-1",
    userData: "dXNlcg==",
    tags: new Map([["a", "b"]]),
    capacityType: "on-demand",
    tenancy: "default",
    reservation: undefined,
    isReservedCapacityEnabled: true,
    efaInterfaces: 0,
    hasEnclaves: false,
    isIpv6: false,
    placement: undefined,
    ...more,
  };
}

function nodeClassOf(spec: object): Ec2NodeClass {
  const terms = { subnetSelectorTerms: [{ id: "subnet-1" }], securityGroupSelectorTerms: [{ id: "sg-1" }] };
  const read = readEc2NodeClass({
    metadata: { name: "default" },
    spec: { ...terms, amiSelectorTerms: [{ alias: "al2023@latest" }], role: "nodes", ...spec },
    status: { securityGroups: [{ id: "sg-2" }, { id: "sg-1" }], instanceProfile: "profile" },
  });
  if (read.problems !== undefined) throw new Error(read.problems.map(describeProblem).join(" "));
  return read.value;
}
