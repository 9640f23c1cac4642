import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import type { AwsApi, ManagedResource, ShiftAway } from "../../src/adapters/aws/api/aws-api.ts";
import { openAwsApi } from "../../src/adapters/aws/api/open-aws-api.ts";
import type { Ec2NodeClass } from "../../src/adapters/aws/node-class/ec2-node-class.ts";
import { ZonalShiftWatcher } from "../../src/adapters/aws/zonal-shift/zonal-shift-watcher.ts";
import { openZonalShifts } from "../../src/adapters/aws/zonal-shift/zonal-shifts.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { NodePoolObject } from "../../src/core/model/node-pool-object.ts";
import { makeRequirement } from "../../src/core/model/requirements.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const arn = "arn:aws:eks:us-west-2:123456789012:cluster/shop";
const shift = (awayFrom: string, fields: Partial<ShiftAway> = {}): ShiftAway => ({
  awayFrom,
  isApplied: true,
  expiresAt: undefined,
  ...fields,
});

describe("zonal shifts", () => {
  it("are those that are applied and not over, of users and of AWS", async () => {
    const stage = new Stage();
    stage.resource = {
      zonalShifts: [
        shift("az1", { expiresAt: 1 }),
        shift("az2", { isApplied: false }),
        shift("az3", { expiresAt: 0 }),
        shift("az4", { expiresAt: -1 }),
      ],
      autoshifts: [shift("az5")],
    };
    const shifts = await stage.open();
    const isShifted = ["az1", "az2", "az3", "az4", "az5", "az6"].map((zone) => shifts.has(zone));
    assert.deepEqual(isShifted, [true, false, false, false, true, false]);
  });

  it("have a new version only when the zones differ", async () => {
    const stage = new Stage();
    stage.shift("az1");
    const shifts = await stage.open();
    await shifts.refresh();
    assert.equal(shifts.version, 1);
    stage.shift("az2");
    await shifts.refresh();
    assert.equal(shifts.version, 2);
  });

  it("say what to do when there is no such cluster", async () => {
    const stage = new Stage();
    stage.arn = undefined;
    await assert.rejects(stage.open(), {
      message: 'EKS knows no cluster "shop" in us-west-2: correct CLUSTER_NAME, or set ENABLE_ZONAL_SHIFT=false',
    });
  });

  it("say what to do when ARC does not know the cluster", async () => {
    const stage = new Stage();
    stage.failure = "ResourceNotFoundException";
    await assert.rejects(stage.open(), {
      message:
        `ARC zonal shift does not know the cluster ${arn}: run "aws eks update-cluster-config --name shop ` +
        '--zonal-shift-config enabled=true", or set ENABLE_ZONAL_SHIFT=false',
    });
  });

  it("name the action that a role lacks", async () => {
    const stage = new Stage();
    stage.failure = "AccessDeniedException";
    await assert.rejects(stage.open(), /AWS refuses arc-zonal-shift:GetManagedResource/);
  });
});

describe("the watcher of zonal shifts", () => {
  it("looks every half minute, and tells the pools that could launch there", async () => {
    const stage = new Stage();
    await stage.watch();
    assert.deepEqual(stage.told, []);
    stage.shift("az1");
    await stage.clock.advance(30_000);
    assert.deepEqual(stage.told, ["a ZonalShiftActive zone-1", "anywhere ZonalShiftActive zone-1"]);
    await stage.clock.advance(60_000);
    assert.equal(stage.told.length, 2);
    stage.shift();
    await stage.clock.advance(30_000);
    assert.deepEqual(stage.told.slice(2), ["a ZonalShiftCleared zone-1", "anywhere ZonalShiftCleared zone-1"]);
    await stage.watcher?.stop();
  });

  it("ends a shift at the moment when it is over, also while ARC does not answer", async () => {
    const stage = new Stage();
    stage.resource = { zonalShifts: [shift("az1", { expiresAt: 10_000 })], autoshifts: [] };
    const shifts = await stage.watch();
    await stage.clock.advance(1_000);
    stage.failure = "InternalServerException";
    await stage.clock.advance(8_999);
    assert.equal(shifts.has("az1"), true);
    await stage.clock.advance(1);
    assert.equal(shifts.has("az1"), false);
    await stage.watcher?.stop();
  });

  it("keeps a shift that is not over while ARC does not answer", async () => {
    const stage = new Stage();
    stage.shift("az1");
    const shifts = await stage.watch();
    stage.failure = "InternalServerException";
    await stage.clock.advance(10 * 60_000);
    assert.equal(shifts.has("az1"), true);
    await stage.watcher?.stop();
  });
});

describe("the way to ARC", () => {
  it("is open with the credentials of the SDK, and signed", async () => {
    const asked: string[] = [];
    const server = createServer(({ headers, url }, response) => {
      asked.push(
        `${url} ${/^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/us-west-2\/arc-zonal-shift\/aws4_request, /.test(headers.authorization ?? "")}`,
      );
      response.end('{"zonalShifts":[]}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" });
    const endpoint = `http://127.0.0.1:${port}`;
    const api = await openAwsApi({ region: "us-west-2", endpoint, version: "test" });
    try {
      assert.deepEqual(await api.zonalShift.getManagedResource(arn), { zonalShifts: [], autoshifts: [] });
      assert.deepEqual(asked, [`/managedresources/${encodeURIComponent(arn)} true`]);
    } finally {
      api.close();
      restore({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

function restore(values: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

class Stage {
  readonly clock = new VirtualClock(0);
  readonly telemetry = new RecordingTelemetry();
  readonly cluster = new ClusterState();
  resource: ManagedResource = { zonalShifts: [], autoshifts: [] };
  arn: string | undefined = arn;
  failure: string | undefined;
  watcher: ZonalShiftWatcher | undefined;

  readonly api: Pick<AwsApi, "region" | "eks" | "zonalShift"> = {
    region: "us-west-2",
    eks: { describeCluster: async () => (this.arn === undefined ? undefined : { arn: this.arn }) },
    zonalShift: {
      getManagedResource: async () => {
        if (this.failure === undefined) return this.resource;
        throw Object.assign(new Error("no"), { Code: this.failure, $metadata: { httpStatusCode: 400 } });
      },
    },
  };

  /** Shifts away from these zones and no others. */
  shift(...zones: readonly string[]): void {
    this.resource = { zonalShifts: zones.map((zone) => shift(zone)), autoshifts: [] };
  }

  open() {
    return openZonalShifts({ api: this.api, clusterName: "shop", clock: this.clock });
  }

  /** With pools that launch in zone-1, in zone-2, in either, and with another node class. */
  async watch() {
    const zones = (...names: string[]) => new Map([["topology.kubernetes.io/zone", makeRequirement("In", names)]]);
    this.#addPool("a", zones("zone-1"));
    this.#addPool("b", zones("zone-2"));
    this.#addPool("anywhere", new Map());
    this.#addPool("elsewhere", new Map(), "other");
    const subnets = [
      { id: "subnet-1", zone: "zone-1", zoneID: "az1" },
      { id: "subnet-2", zone: "zone-2", zoneID: "az2" },
    ];
    const shifts = await this.open();
    this.watcher = new ZonalShiftWatcher({
      ...this,
      shifts,
      nodeClassOf: (name) => (name === "default" ? ({ status: { subnets } } as unknown as Ec2NodeClass) : undefined),
    });
    this.watcher.start();
    await this.clock.advance(0);
    return shifts;
  }

  get told(): readonly string[] {
    return this.telemetry.happenings.map(
      ({ object, reason, message }) => `${object.name} ${reason} ${/zone-\d/.exec(message)?.[0]}`,
    );
  }

  #addPool(
    name: string,
    requirements: ReadonlyMap<string, ReturnType<typeof makeRequirement>>,
    nodeClass = "default",
  ): void {
    const pool = { name, uid: name, nodeClassRef: { name: nodeClass }, pool: { requirements } };
    this.cluster.pools.put(name, pool as unknown as NodePoolObject);
  }
}
