import { type Schema, textLike } from "./schema.ts";

const ebs: Schema = {
  type: "object",
  description: "The EBS volume.",
  properties: {
    deleteOnTermination: { type: "boolean", description: "Whether the volume goes away with its machine." },
    encrypted: {
      type: "boolean",
      description: "Whether the volume is encrypted. A copy of an encrypted one always is.",
    },
    iops: {
      type: "integer",
      format: "int64",
      description: "Operations a second: for io1 and io2 to provision, for gp3 beyond the 3000 that all have.",
    },
    kmsKeyID: { type: "string", description: "The key that encrypts the volume: its id, alias or ARN." },
    snapshotID: { type: "string", description: "The snapshot that the volume begins as." },
    throughput: { type: "integer", format: "int64", description: "MiB a second, for gp3." },
    volumeInitializationRate: {
      type: "integer",
      format: "int32",
      minimum: 100,
      maximum: 300,
      description: "MiB a second at which the snapshot is copied to the volume. It costs extra.",
    },
    volumeSize: {
      ...textLike(
        "^(([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi|([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G|([1-9]|[1-4][0-9]|5[0-8])Ti|([1-9]|[1-5][0-9]|6[0-4])T)$",
        "write a whole size from 1Gi to 59000Gi, 1G to 64000G, 1Ti to 58Ti or 1T to 64T",
      ),
      maxLength: 16,
      description: "The size of the volume, in Gi, G, Ti or T. Which sizes there are depends on the type.",
    },
    volumeType: {
      type: "string",
      enum: ["standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"],
      description: "The type of the volume.",
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "has(self.snapshotID) || has(self.volumeSize)",
      message: "nothing says how large the volume is: set volumeSize or snapshotID",
    },
    {
      rule: "!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')",
      message:
        "only a copy of a snapshot is initialized at a rate: set snapshotID, or leave volumeInitializationRate out",
    },
  ],
};

export const blockDeviceMappings: Schema = {
  type: "array",
  description: "The volumes of the machines. By default those that go with the AMI family.",
  maxItems: 50,
  items: {
    type: "object",
    description: "One volume.",
    properties: {
      deviceName: { type: "string", description: "The name of the device, such as /dev/xvda." },
      ebs,
      rootVolume: {
        type: "boolean",
        description:
          "Whether the kubelet keeps its files on this volume, so that its size is the node's ephemeral storage.",
      },
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "self.filter(device, has(device.rootVolume) && device.rootVolume).size() <= 1",
      message: "the kubelet keeps its files on one volume: set rootVolume on one of them only",
    },
  ],
};
