import { nodeOverlays } from "../karpenter-resources.ts";
import { conditions } from "./conditions.ts";
import { ageColumn, conditionColumn, defineKind } from "./custom-resource-definition.ts";
import { quantities } from "./quantities.ts";
import { overlayRequirements } from "./requirements.ts";
import { type Schema, textLike, withRules } from "./schema.ts";

const spec: Schema = {
  type: "object",
  description: "What to believe about which machines.",
  required: ["requirements"],
  properties: {
    capacity: withRules(
      {
        ...quantities,
        description:
          "Extended resources that the machines have besides what the cloud says. cpu, memory, ephemeral-storage and pods are what they are.",
      },
      [
        {
          rule: "self.all(name, !(name in ['cpu', 'memory', 'ephemeral-storage', 'pods']))",
          message:
            "cpu, memory, ephemeral-storage and pods come from the cloud: only extended resources such as example.com/gpu can be added",
        },
      ],
    ),
    price: {
      ...textLike("^\\d+(\\.\\d+)?$", 'write the hourly price as a string, such as "0.25", without a sign or unit'),
      description: "The price that counts instead of the cloud's own.",
    },
    priceAdjustment: {
      ...textLike(
        "^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$",
        'write a change of price with its sign: an amount such as "+0.1" or "-0.5", or a share such as "+10%" or "-15.5%", down to "-100%"',
      ),
      description: "A change to the price, as an amount or a share of it.",
    },
    requirements: overlayRequirements,
    weight: {
      type: "integer",
      format: "int32",
      minimum: 1,
      maximum: 10_000,
      description:
        "Where overlays disagree, the one with more weight counts; without one it is 0. Of equals, the last in the alphabet.",
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.price) || !has(self.priceAdjustment)",
      message: "price replaces the price and priceAdjustment changes it: remove one of them",
    },
  ],
};

export const nodeOverlayDefinition = defineKind({
  resource: nodeOverlays,
  description: "Corrects what the cloud says about some machines: their price, or resources that it does not know of.",
  category: "karpenter",
  shortNames: ["overlays"],
  columns: [
    conditionColumn("Ready"),
    ageColumn,
    { name: "Weight", type: "integer", jsonPath: ".spec.weight", priority: 1 },
  ],
  spec,
  status: { type: "object", description: "Whether the overlay is in effect.", properties: { conditions } },
});
