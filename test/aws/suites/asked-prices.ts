// `karpenter nodes` on a cluster with machines of EC2, and AWS to ask what they cost.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { EmbeddedCluster } from "../../../src/embedded/cluster.ts";
import { loadManifests } from "../../../src/embedded/manifests.ts";
import { type ServedCluster, serveCluster } from "../../../src/embedded/server/serve-cluster.ts";
import { systemClock } from "../../../src/embedded/time/system-clock.ts";
import { control, region, reset } from "../stage.ts";

const main = join(import.meta.dirname, "../../../src/cli/main.ts");
const zone = `${region}a`;
const nodeOf = (name: string, capacityType: string): object => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    labels: {
      "karpenter.sh/capacity-type": capacityType,
      "node.kubernetes.io/instance-type": "m5.large",
      "topology.kubernetes.io/zone": zone,
      "topology.kubernetes.io/region": region,
    },
  },
  spec: { providerID: `aws:///${zone}/i-${name}` },
});

let folder = "";
let cluster: EmbeddedCluster;
let served: ServedCluster;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "karpenter-asked-prices-"));
  cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["kubelet"] });
  const nodes = [nodeOf("a", "spot"), nodeOf("b", "on-demand")];
  const { problems } = loadManifests(cluster, nodes.map((node) => JSON.stringify(node)).join("\n---\n"));
  assert.deepEqual(problems, []);
  served = await serveCluster(cluster);
  writeFileSync(join(folder, "kubeconfig"), served.kubeconfig, { mode: 0o600 });
});
after(async () => {
  await served.close();
  cluster.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(reset);

interface Told {
  readonly nodes: readonly { readonly name: string; readonly pricePerHour: number | null }[];
  readonly notes: readonly string[];
}

function lookAtNodes(environment: Record<string, string> = {}): Promise<Told> {
  const env = { ...process.env, KUBECONFIG: join(folder, "kubeconfig"), ...environment };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [main, "nodes", "-o", "json"], { env }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Told);
      else reject(new Error(stderr, { cause: error }));
    });
  });
}

const pricesIn = ({ nodes }: Told) => Object.fromEntries(nodes.map(({ name, pricePerHour }) => [name, pricePerHour]));

describe("nodes of EC2, where no controller tells what they cost", () => {
  it("cost what AWS says", async () => {
    await control.setPrices({
      onDemand: { "m5.large": 0.123 },
      spot: [{ instanceType: "m5.large", zone, price: 0.0123 }],
    });
    assert.deepEqual(pricesIn(await lookAtNodes()), { a: 0.0123, b: 0.123 });
  });

  it("have no price where AWS does not allow to ask, and the action is named", async () => {
    await control.deny("DescribeSpotPriceHistory");
    const told = await lookAtNodes();
    assert.equal(pricesIn(told).a, null);
    assert.deepEqual(
      told.notes.filter((note) => note.startsWith("no price")),
      ["no price for 1 of the nodes: no controller runs here; AWS does not allow you ec2:DescribeSpotPriceHistory"],
    );
  });

  it("have no price without credentials, and it is told how to get one", async () => {
    const told = await lookAtNodes({ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", HOME: folder });
    assert.deepEqual(pricesIn(told), { a: null, b: null });
    assert.match(
      told.notes.join("\n"),
      /no price for 2 of the nodes: .*no AWS credentials here: log in, or set AWS_PROFILE/,
    );
  });
});
