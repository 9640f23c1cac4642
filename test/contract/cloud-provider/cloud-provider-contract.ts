import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceType } from "../../../src/core/model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "../../../src/core/model/labels.ts";
import type { NodeClaim } from "../../../src/core/model/node-claim.ts";
import type { NodeClassRef } from "../../../src/core/model/node-pool.ts";
import type { CloudProvider, Instance } from "../../../src/ports/cloud-provider.ts";

/** A cloud with an account that nobody else uses, and a node class that can be used. */
export interface CloudStage {
  readonly provider: CloudProvider;
  readonly nodeClassRef: NodeClassRef;
  /** Creates a claim, which the provider may look up, with these labels and the fields of its spec. */
  createClaim(name: string, fields?: Record<string, unknown>): Promise<NodeClaim>;
  /** From now on `provider` is one of another process: it knows nothing but what the cloud and the API tell. */
  crash(): void | Promise<void>;
  /** Lets machines boot, or go. */
  settle(): Promise<void>;
  stop(): void | Promise<void>;
}

type OpenStage = () => CloudStage | Promise<CloudStage>;

/** What holds for every provider. */
export function describeCloudProvider(name: string, open: OpenStage): void {
  describe(`${name} as a cloud provider`, () => {
    onStage("launches one machine for a claim, however often it is asked", open, async (stage) => {
      const claim = await stage.createClaim("first");
      const once = await launch(stage, claim);
      const again = await launch(stage, claim);
      assert.equal(again.providerId, once.providerId);
      assert.equal((await stage.provider.list()).length, 1);
      await stage.settle();
      assert.equal((await launch(stage, claim)).providerId, once.providerId);
      assert.equal((await stage.provider.list()).length, 1);
    });

    onStage("launches one machine for a claim that is asked for twice at a time", open, async (stage) => {
      const claim = await stage.createClaim("first");
      const [one, other] = await Promise.all([launch(stage, claim), launch(stage, claim)]);
      assert.equal(one?.providerId, other?.providerId);
      await stage.settle();
      assert.equal((await stage.provider.list()).length, 1);
    });

    onStage("launches the same machine after a crash", open, async (stage) => {
      const claim = await stage.createClaim("first");
      const before = await launch(stage, claim);
      await stage.crash();
      const after = await launch(stage, claim);
      assert.equal(after.providerId, before.providerId);
      assert.deepEqual([...after.labels].sort(), [...before.labels].sort());
      await stage.settle();
      assert.deepEqual(
        (await stage.provider.list()).map(({ providerId }) => providerId),
        [before.providerId],
      );
    });

    onStage("launches machines of their own for different claims", open, async (stage) => {
      const first = await launch(stage, await stage.createClaim("first"));
      const second = await launch(stage, await stage.createClaim("second"));
      assert.notEqual(first.providerId, second.providerId);
      assert.deepEqual((await stage.provider.list()).map(({ claimName }) => claimName).sort(), ["first", "second"]);
    });

    onStage("says what the machine is", open, async (stage) => {
      const type = (await typesOf(stage)).find(({ offerings }) => offerings.some(({ isAvailable }) => isAvailable));
      assert.ok(type, "something is for sale");
      const claim = await stage.createClaim("first", { requirements: [only(instanceTypeLabel, type.name)] });
      const instance = await launch(stage, claim);
      assert.equal(instance.labels.get(instanceTypeLabel), type.name);
      const isSold = type.offerings.some(({ requirements }) =>
        [zoneLabel, capacityTypeLabel].every((key) =>
          requirements.get(key)?.values.has(instance.labels.get(key) ?? ""),
        ),
      );
      assert.ok(isSold, "its zone and its capacity type are those of an offering");
      assert.ok((instance.allocatable.get("cpu") ?? 0) > 0);
      assert.ok((instance.capacity.get("cpu") ?? 0) >= (instance.allocatable.get("cpu") ?? 0));
      assert.equal(instance.isTerminating, false);
    });

    onStage("launches what holds the requests", open, async (stage) => {
      const largest = Math.max(...(await typesOf(stage)).map(({ allocatable }) => allocatable.get("cpu") ?? 0));
      const claim = await stage.createClaim("first", { resources: { requests: { cpu: `${largest}m` } } });
      assert.ok(((await launch(stage, claim)).allocatable.get("cpu") ?? 0) >= largest);
    });

    onStage("lists and finds a machine from its launch on, with the name of its claim", open, async (stage) => {
      const claim = await stage.createClaim("first");
      const { providerId } = await launch(stage, claim);
      for (const wait of [async () => {}, () => stage.settle()]) {
        await wait();
        const expected = { providerId, claimName: "first", isTerminating: false };
        assert.deepEqual((await stage.provider.list()).map(identify), [expected]);
        const found = await stage.provider.find(providerId);
        assert.deepEqual(found && identify(found), expected);
      }
    });

    onStage("terminates a machine, and says so again when it is asked again", open, async (stage) => {
      const { providerId } = await launch(stage, await stage.createClaim("first"));
      await stage.settle();
      const machine = { providerId, claimName: "first" };
      await stage.provider.terminate(machine);
      await stage.settle();
      assert.equal(await stage.provider.terminate(machine), "gone");
      assert.equal(await stage.provider.terminate(machine), "gone");
      assert.equal(await stage.provider.find(providerId), undefined);
      assert.deepEqual(await stage.provider.list(), []);
    });

    onStage("terminates a machine that has hardly been launched", open, async (stage) => {
      const { providerId } = await launch(stage, await stage.createClaim("first"));
      await stage.provider.terminate({ providerId, claimName: "first" });
      await stage.settle();
      assert.equal(await stage.provider.terminate({ providerId, claimName: "first" }), "gone");
      assert.deepEqual(await stage.provider.list(), []);
    });

    onStage("knows no machine that it has not launched", open, async (stage) => {
      const { providerId } = await launch(stage, await stage.createClaim("first"));
      for (const unknown of [`${providerId}0`, "elsewhere://machine", ""]) {
        assert.equal(await stage.provider.find(unknown), undefined);
        assert.equal(await stage.provider.terminate({ providerId: unknown, claimName: "" }), "gone");
      }
      assert.equal((await stage.provider.list()).length, 1);
    });

    onStage("says that there is no capacity for what nobody sells", open, async (stage) => {
      const claims = [
        await stage.createClaim("nowhere", { requirements: [only(zoneLabel, "nowhere")] }),
        await stage.createClaim("huge", { resources: { requests: { cpu: "1000000" } } }),
      ];
      for (const claim of claims) {
        const outcome = await stage.provider.launch(claim);
        assert.equal(outcome.kind, "insufficient-capacity");
        assert.ok("message" in outcome && outcome.message !== "");
      }
      assert.deepEqual(await stage.provider.list(), []);
    });

    onStage("offers the same types as long as nothing changes", open, async (stage) => {
      const types = await typesOf(stage);
      assert.equal(await typesOf(stage), types);
      assert.equal(new Set(types.map((type) => type.name)).size, types.length);
    });

    onStage(
      "describes every type by its name and every offering by one zone and one capacity type",
      open,
      async (stage) => {
        for (const { name: type, requirements, offerings, capacity, allocatable } of await typesOf(stage)) {
          assert.deepEqual([...(requirements.get(instanceTypeLabel)?.values ?? [])], [type]);
          assert.ok(offerings.length > 0, `${type} has no offering`);
          for (const offering of offerings) {
            assert.equal(offering.requirements.get(zoneLabel)?.values.size, 1);
            assert.equal(offering.requirements.get(capacityTypeLabel)?.values.size, 1);
            assert.ok(offering.price >= 0);
          }
          for (const [resource, amount] of allocatable) {
            assert.ok(amount >= 0 && amount <= (capacity.get(resource) ?? 0), `${resource} of ${type}`);
          }
        }
      },
    );

    onStage("finds no drift in a machine that has just been launched", open, async (stage) => {
      const claim = await stage.createClaim("first");
      await launch(stage, claim);
      assert.equal(await stage.provider.driftReason(claim), "");
    });

    onStage("names itself, a kind of node class and its labels", open, async ({ provider }) => {
      assert.match(provider.name, /^[a-z]+$/);
      assert.ok(provider.nodeClassKinds.length > 0);
      for (const domain of provider.restrictedLabelDomains) {
        assert.ok(
          [...provider.wellKnownLabels].some((key) => key.startsWith(`${domain}/`)),
          domain,
        );
      }
    });
  });
}

function onStage(name: string, open: OpenStage, act: (stage: CloudStage) => Promise<void>): void {
  it(name, async () => {
    const stage = await open();
    try {
      await act(stage);
    } finally {
      await stage.stop();
    }
  });
}

async function launch({ provider }: CloudStage, claim: NodeClaim): Promise<Instance> {
  const outcome = await provider.launch(claim);
  assert.equal(outcome.kind, "launched", JSON.stringify(outcome));
  return (outcome as { instance: Instance }).instance;
}

async function typesOf({ provider, nodeClassRef }: CloudStage): Promise<readonly [InstanceType, ...InstanceType[]]> {
  const types = await provider.instanceTypes(nodeClassRef);
  assert.ok(types.length > 0);
  return types as [InstanceType, ...InstanceType[]];
}

function only(key: string, value: string): object {
  return { key, operator: "In", values: [value] };
}

function identify({ providerId, claimName, isTerminating }: Instance): object {
  return { providerId, claimName, isTerminating };
}
