import type { Schema } from "./schema.ts";

export const networkInterfaces: Schema = {
  type: "array",
  description: "The network interfaces of the machines. By default one, or those for EFA where a pod asks for them.",
  maxItems: 150,
  items: {
    type: "object",
    description: "One network interface.",
    required: ["deviceIndex", "interfaceType", "networkCardIndex"],
    properties: {
      deviceIndex: { type: "integer", format: "int32", minimum: 0, description: "Its place on the network card." },
      interfaceType: {
        type: "string",
        enum: ["interface", "efa-only"],
        description: "Whether it has addresses, or is for EFA alone.",
      },
      networkCardIndex: {
        type: "integer",
        format: "int32",
        minimum: 0,
        description: "The network card that it is on.",
      },
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "self.size() == 0 || self.exists(one, one.deviceIndex == 0 && one.networkCardIndex == 0 && one.interfaceType == 'interface')",
      message:
        "every machine has a primary interface: add one of type interface with networkCardIndex 0 and deviceIndex 0",
    },
    {
      rule: "self.all(one, self.exists_one(other, one.networkCardIndex == other.networkCardIndex && one.deviceIndex == other.deviceIndex))",
      message: "two interfaces have the same place: give each another deviceIndex or networkCardIndex",
    },
    {
      rule: "self.all(one, one.interfaceType != 'efa-only' || self.exists_one(other, one.networkCardIndex == other.networkCardIndex && other.interfaceType == 'efa-only'))",
      message: "a network card has one interface for EFA alone at most: put others on other cards",
    },
  ],
};

function seconds(description: string, minimum: number, maximum: number): Schema {
  return { type: "integer", format: "int32", minimum, maximum, description };
}

export const connectionTracking: Schema = {
  type: "object",
  description:
    "How many seconds security groups remember idle connections of the machines, where they are built on Nitro. By default as AWS has it.",
  properties: {
    tcpEstablishedTimeout: seconds("Of established TCP connections.", 60, 432_000),
    udpStreamTimeout: seconds("Of UDP flows that have seen more than one request and its response.", 60, 180),
    udpTimeout: seconds("Of UDP flows with traffic in one direction, or one request and its response.", 30, 60),
  },
  "x-kubernetes-validations": [
    {
      rule: "has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)",
      message: "set at least one of the timeouts, or leave connectionTracking out",
    },
  ],
};

function onOrOff(value: "enabled" | "disabled", description: string): Schema {
  return { type: "string", default: value, enum: ["enabled", "disabled"], description };
}

export const metadataOptions: Schema = {
  type: "object",
  description: "Who can ask a machine for its metadata, its credentials among them.",
  default: {
    httpEndpoint: "enabled",
    httpProtocolIPv6: "disabled",
    httpPutResponseHopLimit: 1,
    httpTokens: "required",
  },
  properties: {
    httpEndpoint: onOrOff("enabled", "Whether metadata can be had at all."),
    httpProtocolIPv6: onOrOff("disabled", "Whether metadata can be had over IPv6 too."),
    httpPutResponseHopLimit: {
      type: "integer",
      format: "int64",
      default: 1,
      minimum: 1,
      maximum: 64,
      description: "How far answers may travel. With 1, pods without the network of their host get none.",
    },
    httpTokens: {
      type: "string",
      default: "required",
      enum: ["required", "optional"],
      description: "Whether everybody who asks must have a token.",
    },
  },
};
