import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from "kubernetes-types/apiextensions/v1.js";
import { statusOfDefinition } from "./definition-status.ts";

const now = "2024-01-02T03:04:05Z";

function definition(names: CustomResourceDefinitionNames): CustomResourceDefinition {
  return {
    metadata: { name: `${names.plural}.example.com` },
    spec: { group: "example.com", scope: "Cluster", names, versions: [{ name: "v1", served: true, storage: true }] },
    status: { storedVersions: ["v1"] } as NonNullable<CustomResourceDefinition["status"]>,
  };
}

const things = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList", shortNames: ["th"] };

describe("The status of a definition", () => {
  it("accepts names that nobody has, and is established", () => {
    assert.deepEqual(statusOfDefinition(definition(things), [], now), {
      storedVersions: ["v1"],
      acceptedNames: things,
      conditions: [
        {
          type: "NamesAccepted",
          status: "True",
          lastTransitionTime: now,
          reason: "NoConflicts",
          message: "no conflicts found",
        },
        {
          type: "Established",
          status: "True",
          lastTransitionTime: now,
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
      ],
    });
  });

  it("refuses names that another definition of the group has", () => {
    const first = definition(things);
    first.status = statusOfDefinition(first, [], now);
    const second = definition({ plural: "thinglets", singular: "thinglet", kind: "Thing", listKind: "ThingletList" });
    const { conditions, acceptedNames } = statusOfDefinition(second, [first, second], now);
    assert.deepEqual(
      {
        conditions: conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
        acceptedNames,
      },
      {
        conditions: [
          ["NamesAccepted", "False", "KindConflict", '"Thing" is already in use'],
          ["Established", "False", "NotAccepted", "not all names are accepted"],
        ],
        acceptedNames: { plural: "thinglets", singular: "thinglet", kind: "", listKind: "ThingletList" },
      },
    );
  });

  it("keeps the time of a transition while nothing changes", () => {
    const first = definition(things);
    first.status = statusOfDefinition(first, [], now);
    assert.deepEqual(statusOfDefinition(first, [first], "2025-01-01T00:00:00Z"), first.status);
  });
});
