import { capacityBufferDefinition } from "../../../src/core/api/definitions/capacity-buffer.ts";
import { kwokNodeClassDefinition } from "../../../src/core/api/definitions/kwok-node-class.ts";
import { nodeOverlayDefinition } from "../../../src/core/api/definitions/node-overlay.ts";
import { type AdmissionCase, casesOf } from "../admission-case.ts";
import { requirementCases } from "./requirement-cases.ts";

const overlayWriter = casesOf(nodeOverlayDefinition);
const overlay = (spec: object) => ({ spec: { requirements: [], ...spec } });
const price = "write the hourly price as a string";
const adjustment = "write a change of price with its sign";
const notInNeeds = "operator NotIn needs values: list at least one";

function overlayCases(): readonly AdmissionCase[] {
  const { takes, refuses } = overlayWriter;
  const required = (requirements: readonly object[]) => overlay({ requirements });
  return [
    takes("no requirements", overlay({})),
    refuses("requirements left out", { spec: {} }, "requirements: Required value"),
    ...["0", "1", "0.25", "100.0"].map((text) => takes(`price ${text}`, overlay({ price: text }))),
    ...["-1", "+1", ".5", "1.", "1,5", "", "abc"].map((text) =>
      refuses(`price "${text}"`, overlay({ price: text }), price),
    ),
    refuses("a number for a price", overlay({ price: 1 }), "must be of type string"),
    ...["+10", "-0.5", "+.5", "+10%", "+150%", "+.5%", "-15.5%", "-100%", "-0%"].map((text) =>
      takes(`adjustment ${text}`, overlay({ priceAdjustment: text })),
    ),
    ...["10", "10%", "-101%", "-100.5%", "-.5%", "+", "%", "", "+1 %"].map((text) =>
      refuses(`adjustment "${text}"`, overlay({ priceAdjustment: text }), adjustment),
    ),
    refuses("a price and an adjustment", overlay({ price: "1", priceAdjustment: "+1" }), "remove one of them"),
    takes("an extended resource", overlay({ capacity: { "example.com/x": "2" } })),
    ...["cpu", "memory", "ephemeral-storage", "pods"].map((name) =>
      refuses(`capacity of ${name}`, overlay({ capacity: { [name]: "2" } }), "only extended resources such as"),
    ),
    ...[1, 10_000].map((weight) => takes(`weight ${weight}`, overlay({ weight }))),
    refuses("weight 0", overlay({ weight: 0 }), "should be greater than or equal to 1"),
    refuses("weight 10001", overlay({ weight: 10_001 }), "should be less than or equal to 10000"),
    ...requirementCases(overlayWriter, required),
    takes("the pool as a requirement", required([{ key: "karpenter.sh/nodepool", operator: "In", values: ["x"] }])),
    refuses("NotIn without values", required([{ key: "a", operator: "NotIn" }]), notInNeeds),
    refuses("NotIn with no value", required([{ key: "a", operator: "NotIn", values: [] }]), notInNeeds),
  ];
}

function bufferCases(): readonly AdmissionCase[] {
  const { takes, refuses } = casesOf(capacityBufferDefinition);
  const buffer = (spec: object) => ({ spec });
  const podTemplateRef = { name: "web" };
  const scalableRef = { apiGroup: "apps", kind: "Deployment", name: "web" };
  const size = "podTemplateRef says nothing about the size of the buffer: set replicas or limits too";
  return [
    takes("no reference", buffer({})),
    takes("a pod template with replicas", buffer({ podTemplateRef, replicas: 3 })),
    takes("a pod template with limits", buffer({ podTemplateRef, limits: { cpu: "4" } })),
    refuses("a pod template alone", buffer({ podTemplateRef }), size),
    refuses("a pod template with a percentage", buffer({ podTemplateRef, percentage: 10 }), size),
    takes("a deployment with a percentage", buffer({ scalableRef, percentage: 20 })),
    takes("a deployment without its group", buffer({ scalableRef: { kind: "Deployment", name: "web" } })),
    takes("a strategy", buffer({ scalableRef, provisioningStrategy: "example.com/own" })),
    refuses("both references", buffer({ podTemplateRef, scalableRef, replicas: 1 }), "remove one of them"),
    refuses("-1 replicas", buffer({ scalableRef, replicas: -1 }), "should be greater than or equal to 0"),
    refuses("-1 percent", buffer({ scalableRef, percentage: -1 }), "should be greater than or equal to 0"),
    refuses("an empty name", buffer({ podTemplateRef: { name: "" }, replicas: 1 }), "should be at least 1 chars long"),
    refuses("an empty kind", buffer({ scalableRef: { kind: "", name: "web" } }), "should be at least 1 chars long"),
    refuses("no name", buffer({ scalableRef: { kind: "Deployment" } }), "name: Required value"),
    refuses("a limit in words", buffer({ scalableRef, limits: { cpu: "some" } }), "should match"),
    refuses("no spec", {}, "spec: Required value"),
  ];
}

function nodeClassCases(): readonly AdmissionCase[] {
  const { takes, refuses } = casesOf(kwokNodeClassDefinition);
  return [
    takes("nothing", {}),
    takes("an empty spec", { spec: {} }),
    takes("a delay", { spec: { nodeRegistrationDelay: "1m30s" } }),
    refuses("a delay of days", { spec: { nodeRegistrationDelay: "1d" } }, "write whole hours, minutes and seconds"),
  ];
}

export const otherCases: readonly AdmissionCase[] = [...overlayCases(), ...bufferCases(), ...nodeClassCases()];
