// Images, asked for over the wire.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { RegisterImageCommand } from "@aws-sdk/client-ec2";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { Images } from "../../../src/adapters/aws/images/images.ts";
import type { Ec2NodeClass, ImageTerm } from "../../../src/adapters/aws/node-class/ec2-node-class.ts";
import { VirtualClock } from "../../../src/embedded/time/virtual-clock.ts";
import { RecordingTelemetry } from "../../support/recording-telemetry.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, openEc2, releaseImages, seed } from "../stage.ts";

const minute = 60_000;
let api: AwsApi;
let account: Seeded;
let clock: VirtualClock;
let images: Images;

before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(async () => {
  account = await seed();
  clock = new VirtualClock(Date.now());
  images = new Images({
    api,
    clock,
    settings: { amiRefreshMilliseconds: minute },
    telemetry: new RecordingTelemetry(),
    kubernetesVersion: () => account.kubernetesVersion,
  });
});

function nodeClass(...terms: Partial<ImageTerm>[]): Ec2NodeClass {
  const amiSelectorTerms = terms.map((term) => ({ tags: new Map(), ...term }));
  return { uid: "u", generation: 1, spec: { amiSelectorTerms } } as unknown as Ec2NodeClass;
}

const idsFor = async (...terms: Partial<ImageTerm>[]): Promise<string[]> =>
  (await images.find(nodeClass(...terms))).map(({ id }) => id).sort();

async function register(name: string, tags: Readonly<Record<string, string>> = {}): Promise<string> {
  const client = openEc2();
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const { ImageId = "" } = await client.send(
    new RegisterImageCommand({
      Name: name,
      Architecture: "x86_64",
      TagSpecifications: [{ ResourceType: "image", Tags }],
    }),
  );
  client.destroy();
  return ImageId;
}

describe("images over the wire", () => {
  it("are found by an alias, for both architectures", async () => {
    const found = await images.find(nodeClass({ alias: "al2023@latest" }));
    const archOf = new Map(
      found.map(({ id, requirements }) => [id, requirements.find(({ key }) => key === "kubernetes.io/arch")?.values]),
    );
    const { amd64, arm64 } = account.imageIds;
    assert.deepEqual(
      archOf,
      new Map([
        [amd64, ["amd64"]],
        [arm64, ["arm64"]],
      ]),
    );
    assert.deepEqual(await idsFor({ alias: "al2023@v20260101" }), [amd64, arm64].sort());
  });

  it("are asked for once, however many ask", async () => {
    await Promise.all([1, 2, 3].map(() => idsFor({ alias: "al2023@latest" })));
    assert.equal((await control.calls("DescribeImages")).length, 1);
    assert.equal((await control.calls("GetParameter")).length, 5);
  });

  it("move with the alias within the refresh interval", async () => {
    const first = await idsFor({ alias: "al2023@latest" });
    const newer = Object.values(await releaseImages("20260201")).sort();
    assert.deepEqual(await idsFor({ alias: "al2023@latest" }), first);
    await clock.advance(minute);
    assert.deepEqual(await idsFor({ alias: "al2023@latest" }), newer);
  });

  it("move within half an hour when those that are the latest are withdrawn", async () => {
    const first = await idsFor({ alias: "al2023@latest" });
    const newer = Object.values(await releaseImages("20260201")).sort();
    for (const id of first) await control.changeImage(id, { deprecation_time: "2020-01-01T00:00:00.000Z" });
    await images.forgetDeprecated();
    const found = await images.find({ ...nodeClass({ alias: "al2023@latest" }), generation: 2 });
    assert.deepEqual(found.map(({ id }) => id).sort(), newer);
  });

  it("are named with their path and a way out when an alias has none", async () => {
    await assert.rejects(idsFor({ alias: "al2023@v19990101" }), {
      name: "ImageNotFoundError",
      message:
        /^no image for alias "al2023@v19990101": SSM has no parameter \/aws\/service\/eks\/optimized-ami\/.* correct the version, or use al2023@latest$/,
    });
    await assert.rejects(idsFor({ alias: "windows2022@latest" }), /use another family/);
  });

  it("are found by id, tags, name, owner and the user's own parameter", async () => {
    const own = await register("my-image", { team: "a" });
    await control.setParameters({ "/team/mine": own, "/team/wrong": "hunter2" });
    const strange = await register("my-image-of-strangers");
    await control.changeImage(strange, { owner_id: "999999999999" });
    const ways: Partial<ImageTerm>[] = [
      { id: own },
      { tags: new Map([["team", "a"]]) },
      { tags: new Map([["team", "*"]]) },
      { name: "my-image*" },
      { name: "my-image", owner: "self" },
      { ssmParameter: "/team/mine" },
    ];
    for (const [index, way] of ways.entries()) {
      const found = await images.find({ ...nodeClass(way), generation: index + 1 });
      assert.deepEqual(
        found.map(({ id }) => id),
        [own],
        JSON.stringify(way),
      );
    }
    const none: Partial<ImageTerm>[] = [
      { id: "ami-*" },
      { id: "ami-00000000" },
      { ssmParameter: "/team/wrong" },
      { ssmParameter: "/team/none" },
      { name: "my-image", owner: "amazon" },
      { tags: new Map([["team", "b"]]) },
    ];
    for (const [index, way] of none.entries()) {
      assert.deepEqual(await images.find({ ...nodeClass(way), generation: 100 + index }), [], JSON.stringify(way));
    }
  });

  it("are the best of those that are available and not withdrawn", async () => {
    const ids = [];
    for (const name of ["1", "2", "3", "4"]) ids.push(await register(name, { team: "a" }));
    const [, two = "", three = "", four = ""] = ids;
    await control.changeImage(three, { deprecation_time: "2020-01-01T00:00:00.000Z" });
    await control.changeImage(four, { state: "pending" });
    assert.deepEqual(await idsFor({ tags: new Map([["team", "a"]]) }), [two]);
    assert.deepEqual(
      (await images.find({ ...nodeClass({ id: three }), generation: 2 })).map(({ id, deprecated }) => [id, deprecated]),
      [[three, true]],
    );
  });

  it("name the action that a role lacks, and are found again once it may", async () => {
    await control.deny("DescribeImages");
    await assert.rejects(idsFor({ id: account.imageIds.amd64 }), /ec2:DescribeImages/);
    await control.clearFaults();
    assert.deepEqual(await idsFor({ id: account.imageIds.amd64 }), [account.imageIds.amd64]);
    await control.fail("GetParameter", { code: "AccessDeniedException", message: "no", status: 400 });
    await assert.rejects(images.find({ ...nodeClass({ alias: "al2023@latest" }), generation: 2 }), /ssm:GetParameter/);
    await control.clearFaults();
    assert.equal((await images.find({ ...nodeClass({ alias: "al2023@latest" }), generation: 2 })).length, 2);
  });
});
