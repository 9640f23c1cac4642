import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DescribeImagesCommandInput, Image } from "@aws-sdk/client-ec2";
import { ImageDeprecation } from "../../src/adapters/aws/images/image-deprecation.ts";
import { Images, type ImagesOptions } from "../../src/adapters/aws/images/images.ts";
import type { Ec2NodeClass, ImageTerm } from "../../src/adapters/aws/node-class/ec2-node-class.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const minute = 60_000;

/** AWS as far as images go: parameters, and images by id. */
class FakeAws {
  readonly parameters = new Map<string, string>();
  readonly images: Image[] = [];
  readonly asked: string[] = [];
  refusal: Error | undefined;

  readonly api = {
    region: "us-west-2",
    ssm: {
      getParameter: async (name: string): Promise<string | undefined> => {
        this.asked.push(name);
        if (this.refusal !== undefined) throw this.refusal;
        const value = this.parameters.get(name);
        if (value === undefined) throw answer("ParameterNotFound");
        return value;
      },
    },
    ec2: {
      describeImages: async (input: DescribeImagesCommandInput): Promise<readonly Image[]> => {
        this.asked.push("DescribeImages");
        const ids = input.Filters?.find(({ Name }) => Name === "image-id")?.Values;
        return this.images.filter(({ ImageId }) => ids?.includes(ImageId ?? "") ?? true);
      },
    },
  } as unknown as ImagesOptions["api"];
}

function answer(name: string): Error {
  return Object.assign(new Error(`it is ${name}`), { name, $metadata: { httpStatusCode: 400 } });
}

function nodeClass(...terms: Partial<ImageTerm>[]): Ec2NodeClass {
  const amiSelectorTerms = terms.map((term) => ({ tags: new Map(), ...term }));
  return { uid: "u", generation: 1, spec: { amiSelectorTerms } } as unknown as Ec2NodeClass;
}

function stage(amiRefreshMilliseconds = minute): {
  aws: FakeAws;
  images: Images;
  clock: VirtualClock;
  telemetry: RecordingTelemetry;
} {
  const aws = new FakeAws();
  const clock = new VirtualClock(Date.parse("2026-06-01T00:00:00Z"));
  const telemetry = new RecordingTelemetry();
  const settings = { amiRefreshMilliseconds };
  const images = new Images({ api: aws.api, clock, settings, telemetry, kubernetesVersion: () => "1.36" });
  return { aws, images, clock, telemetry };
}

const latest = "/aws/service/bottlerocket/aws-k8s-1.36/x86_64/latest/image_id";
const image = (id: string): Image => ({ ImageId: id, Name: id, Architecture: "x86_64" });

describe("finding images", () => {
  it("asks AWS once each refresh interval, also what the latest is", async () => {
    const { aws, images, clock } = stage();
    aws.parameters.set(latest, "ami-1");
    aws.images.push(image("ami-1"));
    const found = await images.find(nodeClass({ alias: "bottlerocket@latest" }));
    assert.deepEqual(
      found.map(({ id, requirements }) => [id, requirements.map(({ key }) => key)]),
      [
        ["ami-1", ["kubernetes.io/arch", "karpenter.k8s.aws/instance-accelerator-count"]],
        [
          "ami-1",
          [
            "kubernetes.io/arch",
            "karpenter.k8s.aws/instance-gpu-count",
            "karpenter.k8s.aws/instance-accelerator-count",
          ],
        ],
      ],
    );
    assert.equal(aws.asked.length, 5);
    await images.find(nodeClass({ alias: "bottlerocket@latest" }));
    assert.equal(aws.asked.length, 5);
    aws.parameters.set(latest, "ami-2");
    aws.images.push(image("ami-2"));
    await clock.advance(minute);
    const [newer] = await images.find(nodeClass({ alias: "bottlerocket@latest" }));
    assert.equal(newer?.id, "ami-2");
    assert.equal(aws.asked.filter((name) => name === latest).length, 2);
  });

  it("asks SSM once a day for a release, and every five minutes for what a user names", async () => {
    const { aws, images, clock } = stage();
    const release = "/aws/service/bottlerocket/aws-k8s-1.36/x86_64/1.46.0/image_id";
    aws.parameters.set(release, "ami-1").set("/mine", "ami-1");
    aws.images.push(image("ami-1"));
    const counts = async () => {
      await images.find(nodeClass({ alias: "bottlerocket@1.46.0" }));
      await images.find({ ...nodeClass({ ssmParameter: "/mine" }), uid: "v" });
      return [release, "/mine"].map((name) => aws.asked.filter((asked) => asked === name).length);
    };
    assert.deepEqual(await counts(), [1, 1]);
    await clock.advance(4 * minute);
    assert.deepEqual(await counts(), [1, 1]);
    await clock.advance(minute);
    assert.deepEqual(await counts(), [1, 2]);
    await clock.advance(24 * 60 * minute);
    assert.deepEqual(await counts(), [2, 3]);
  });

  it("names the alias, the parameter and what to do when there is no such image", async () => {
    const { images } = stage();
    await assert.rejects(images.find(nodeClass({ alias: "al2023@v20990101" })), {
      name: "ImageNotFoundError",
      message:
        'no image for alias "al2023@v20990101": SSM has no parameter /aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.36-v20990101/image_id in us-west-2, nor 4 more for other machines; correct the version, or use al2023@latest',
    });
    await assert.rejects(
      images.find(nodeClass({ alias: "al2@latest" })),
      /no AL2 images for Kubernetes 1.33 and later/,
    );
  });

  it("fails rather than finding less when SSM cannot be asked, and names the permission", async () => {
    const { aws, images } = stage();
    aws.refusal = answer("AccessDeniedException");
    await assert.rejects(
      images.find(nodeClass({ alias: "bottlerocket@latest" })),
      /AWS refuses ssm:GetParameter on \/aws\/service\//,
    );
    aws.refusal = undefined;
    aws.parameters.set(latest, "ami-1");
    aws.images.push(image("ami-1"));
    assert.equal((await images.find(nodeClass({ alias: "bottlerocket@latest" }))).length, 2);
  });

  it("skips a parameter of the user that is missing or holds no id, and never tells what it holds", async () => {
    const { aws, images, telemetry } = stage();
    aws.images.push(image("ami-1"), image("ami-2"));
    aws.parameters.set("/mine", "ami-1").set("/secret", "hunter2").set("/all", "ami-*");
    const terms = ["/mine", "/secret", "/all", "/none"].map((ssmParameter) => ({ ssmParameter }));
    assert.deepEqual(
      (await images.find(nodeClass(...terms))).map(({ id }) => id),
      ["ami-1"],
    );
    assert.deepEqual(
      telemetry.lines.map(({ message, fields }) => [message, fields]),
      [
        ["SSM parameter does not hold the id of an image", { ssmParameter: "/secret" }],
        ["SSM parameter does not hold the id of an image", { ssmParameter: "/all" }],
        ["SSM parameter does not exist", { ssmParameter: "/none" }],
      ],
    );
  });

  it("asks what the latest is for all node classes together", async () => {
    const { aws, images, clock } = stage();
    aws.parameters.set(latest, "ami-1");
    aws.images.push(image("ami-1"));
    for (let i = 0; i < 50; i++) {
      await images.find({ ...nodeClass({ alias: "bottlerocket@latest" }), uid: `u${i}` });
      await clock.advance(minute / 50);
    }
    assert.equal(aws.asked.filter((name) => name === latest).length, 2);
  });

  it("finds a newer image within half an hour after the latest was withdrawn, however rarely it asks", async () => {
    const { aws, images, clock, telemetry } = stage(62 * minute);
    const loop = new ImageDeprecation({ images, clock, telemetry });
    aws.parameters.set(latest, "ami-1");
    aws.images.push(image("ami-1"), image("ami-2"));
    await images.find(nodeClass({ alias: "bottlerocket@latest" }));
    loop.start();
    aws.images[0] = { ...image("ami-1"), DeprecationTime: "2026-06-01T00:10:00Z" };
    aws.parameters.set(latest, "ami-2");
    await clock.advance(30 * minute);
    const other = { ...nodeClass({ alias: "bottlerocket@latest" }), uid: "v" };
    const [found] = await images.find(other);
    await loop.stop();
    assert.equal(found?.id, "ami-2");
  });
});
