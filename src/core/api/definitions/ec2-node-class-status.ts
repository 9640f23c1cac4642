import { conditions } from "./conditions.ts";
import type { Schema } from "./schema.ts";

function text(description: string): Schema {
  return { type: "string", description };
}

const images: Schema = {
  type: "array",
  description: "The images that were found, the newest first.",
  items: {
    type: "object",
    description: "An image and the machines that it is for.",
    required: ["id", "requirements"],
    properties: {
      deprecated: { type: "boolean", description: "Whether its owner has deprecated it." },
      id: text("The id of the image."),
      name: text("The name of the image."),
      requirements: {
        type: "array",
        description: "What machines that start from it must be.",
        items: {
          type: "object",
          description: "One label and what it must be.",
          required: ["key", "operator"],
          properties: {
            key: text("The key of the label."),
            operator: text("How the label relates to the values."),
            values: {
              type: "array",
              description: "The values.",
              items: { type: "string" },
              "x-kubernetes-list-type": "atomic",
            },
          },
        },
      },
    },
  },
};

const capacityReservations: Schema = {
  type: "array",
  description: "The capacity reservations that were found.",
  items: {
    type: "object",
    description: "A capacity reservation.",
    required: ["availabilityZone", "id", "instanceMatchCriteria", "instanceType", "ownerID"],
    properties: {
      availabilityZone: text("The zone that it is in."),
      endTime: { type: "string", format: "date-time", description: "When it ends; never by default." },
      id: { type: "string", pattern: "^cr-[0-9a-z]+$", description: "The id of the reservation." },
      instanceMatchCriteria: {
        type: "string",
        enum: ["open", "targeted"],
        description: "Which launches it takes: all that fit, or those that name it.",
      },
      instanceType: text("The type of its machines."),
      interruptible: { type: "boolean", description: "Whether its owner can take its machines back." },
      ownerID: { type: "string", pattern: "^[0-9]{12}$", description: "The account that owns it." },
      reservationType: {
        type: "string",
        default: "default",
        enum: ["default", "capacity-block"],
        description: "What kind of reservation it is.",
      },
      state: {
        type: "string",
        default: "active",
        enum: ["active", "expiring"],
        description: "Whether AWS is about to take its machines back, as it does at the end of a capacity block.",
      },
    },
  },
};

export const ec2NodeClassStatus: Schema = {
  type: "object",
  description: "What was found for the node class. Machines are launched with nothing else.",
  properties: {
    amis: images,
    capacityReservations,
    conditions,
    instanceProfile: text("The instance profile that machines get."),
    securityGroups: {
      type: "array",
      description: "The security groups that were found.",
      items: {
        type: "object",
        description: "A security group.",
        required: ["id"],
        properties: { id: text("The id of the security group."), name: text("The name of the security group.") },
      },
    },
    subnets: {
      type: "array",
      description: "The subnets that were found, the one with the most free addresses first.",
      items: {
        type: "object",
        description: "A subnet.",
        required: ["id", "zone"],
        properties: {
          id: text("The id of the subnet."),
          zone: text("The zone that it is in."),
          zoneID: text("The id of that zone, which is the same in all accounts."),
        },
      },
    },
  },
};
