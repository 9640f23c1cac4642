import type {
  Ec2NodeClass,
  Ec2NodeClassSpec,
  Ec2NodeClassStatus,
} from "../../src/adapters/aws/node-class/ec2-node-class.ts";

export interface Ec2NodeClassParts extends Partial<Omit<Ec2NodeClass, "spec" | "status">> {
  readonly spec?: Partial<Ec2NodeClassSpec>;
  readonly status?: Partial<Ec2NodeClassStatus>;
}

/** A node class of AL2023 with a role that selects by the tag `team=a`, and for which nothing has been found yet. */
export function modelEc2NodeClass({ spec = {}, status = {}, ...rest }: Ec2NodeClassParts = {}): Ec2NodeClass {
  const tags = new Map([["team", "a"]]);
  return {
    name: "default",
    uid: "uid-1",
    resourceVersion: "1",
    generation: 1,
    createdAt: 0,
    deletedAt: undefined,
    finalizers: [],
    annotations: new Map(),
    conditions: [],
    ...rest,
    spec: {
      subnetSelectorTerms: [{ tags, id: undefined }],
      securityGroupSelectorTerms: [{ tags, id: undefined, name: undefined }],
      capacityReservationSelectorTerms: [],
      placementGroupSelector: undefined,
      associatePublicIPAddress: undefined,
      ipPrefixCount: undefined,
      amiSelectorTerms: [
        {
          alias: "al2023@latest",
          tags: new Map(),
          id: undefined,
          name: undefined,
          owner: undefined,
          ssmParameter: undefined,
        },
      ],
      amiFamily: "AL2023",
      userData: undefined,
      role: "node-role",
      instanceProfile: undefined,
      tags: new Map(),
      kubelet: undefined,
      blockDeviceMappings: [],
      instanceStorePolicy: undefined,
      networkInterfaces: [],
      detailedMonitoring: false,
      metadataOptions: {
        httpEndpoint: "enabled",
        httpProtocolIPv6: "disabled",
        httpPutResponseHopLimit: 1,
        httpTokens: "required",
      },
      connectionTracking: undefined,
      context: undefined,
      cpuOptions: undefined,
      ...spec,
    },
    status: {
      subnets: [],
      securityGroups: [],
      amis: [],
      capacityReservations: [],
      instanceProfile: undefined,
      ...status,
    },
  };
}
