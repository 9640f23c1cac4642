import * as ec2 from "@aws-sdk/client-ec2";
import { CreateClusterCommand, EKSClient } from "@aws-sdk/client-eks";
import { CreateRoleCommand, IAMClient } from "@aws-sdk/client-iam";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Control } from "./control.ts";

/** What an account has before Karpenter comes. */
export interface Seeded {
  readonly clusterName: string;
  readonly kubernetesVersion: string;
  readonly roleName: string;
  readonly queueName: string;
  readonly queueUrl: string;
  readonly vpcId: string;
  /** Tagged `karpenter.sh/discovery`, by zone. */
  readonly subnetIds: Readonly<Record<string, string>>;
  /** Of another tag, in the first zone. */
  readonly otherSubnetId: string;
  /** Tagged `karpenter.sh/discovery`. */
  readonly securityGroupIds: readonly string[];
  readonly imageIds: { readonly amd64: string; readonly arm64: string };
}

export interface SeedOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly control: Control;
  /** Of the cluster and of the images, as in "1.34". */
  readonly kubernetesVersion: string;
}

const clusterName = "test-cluster";
const discoveryTag = { Key: "karpenter.sh/discovery", Value: clusterName };

export async function seedAccount({ endpoint, region, control, kubernetesVersion }: SeedOptions): Promise<Seeded> {
  const options = { endpoint, region, maxAttempts: 1, credentials: { accessKeyId: "test", secretAccessKey: "test" } };
  const clients = {
    ec2: new ec2.EC2Client(options),
    eks: new EKSClient(options),
    iam: new IAMClient(options),
    sqs: new SQSClient(options),
  };
  const [network, imageIds, queue] = await Promise.all([
    makeNetwork(clients.ec2, region),
    makeImages({ client: clients.ec2, control, kubernetesVersion, version: "20260101" }),
    clients.sqs.send(new CreateQueueCommand({ QueueName: clusterName })),
    clients.iam.send(
      new CreateRoleCommand({ RoleName: "KarpenterNodeRole", AssumeRolePolicyDocument: JSON.stringify({}) }),
    ),
    clients.eks.send(
      new CreateClusterCommand({
        name: clusterName,
        version: kubernetesVersion,
        roleArn: "arn:aws:iam::123456789012:role/cluster",
        resourcesVpcConfig: {},
        kubernetesNetworkConfig: { serviceIpv4Cidr: "10.100.0.0/16" },
      }),
    ),
  ]);
  for (const client of Object.values(clients)) client.destroy();
  return {
    clusterName,
    kubernetesVersion,
    roleName: "KarpenterNodeRole",
    queueName: clusterName,
    queueUrl: queue.QueueUrl ?? "",
    imageIds,
    ...network,
  };
}

async function makeNetwork(client: ec2.EC2Client, region: string) {
  const { Vpc } = await client.send(new ec2.CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }));
  const vpcId = Vpc?.VpcId ?? "";
  const makeSubnet = async (zone: string, place: number, tag: ec2.Tag) => {
    const { Subnet } = await client.send(
      new ec2.CreateSubnetCommand({
        VpcId: vpcId,
        CidrBlock: `10.0.${place * 16}.0/20`,
        AvailabilityZone: zone,
        TagSpecifications: [{ ResourceType: "subnet", Tags: [tag] }],
      }),
    );
    return [zone, Subnet?.SubnetId ?? ""] as const;
  };
  const makeGroup = async (name: string) => {
    const { GroupId } = await client.send(
      new ec2.CreateSecurityGroupCommand({
        GroupName: name,
        Description: name,
        VpcId: vpcId,
        TagSpecifications: [{ ResourceType: "security-group", Tags: [discoveryTag] }],
      }),
    );
    return GroupId ?? "";
  };
  const zones = ["a", "b", "c"].map((letter) => `${region}${letter}`);
  const [subnets, other, securityGroupIds] = await Promise.all([
    Promise.all(zones.map((zone, place) => makeSubnet(zone, place, discoveryTag))),
    makeSubnet(`${region}a`, 8, { Key: "karpenter.sh/discovery", Value: "another-cluster" }),
    Promise.all(["nodes", "cluster"].map(makeGroup)),
  ]);
  return { vpcId, subnetIds: Object.fromEntries(subnets), otherSubnetId: other[1], securityGroupIds };
}

export interface ImageOptions {
  readonly client: ec2.EC2Client;
  readonly control: Control;
  readonly kubernetesVersion: string;
  /** Of the release, as in "20260101". */
  readonly version: string;
}

/** A release of AL2023 for both architectures, which is the recommended one from now on. */
export async function makeImages({ client, control, kubernetesVersion, version }: ImageOptions) {
  const register = async (architecture: "x86_64" | "arm64", variant: string) => {
    const { ImageId } = await client.send(
      new ec2.RegisterImageCommand({
        Name: `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetesVersion}-v${version}`,
        Architecture: architecture,
        RootDeviceName: "/dev/xvda",
        VirtualizationType: "hvm",
      }),
    );
    return ImageId ?? "";
  };
  const paths = (architecture: string, variant: string, id: string) => {
    const folder = `/aws/service/eks/optimized-ami/${kubernetesVersion}/amazon-linux-2023/${architecture}/${variant}`;
    const name = `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetesVersion}-v${version}`;
    return { [`${folder}/recommended/image_id`]: id, [`${folder}/${name}/image_id`]: id };
  };
  const [amd64, arm64] = await Promise.all([register("x86_64", "standard"), register("arm64", "standard")]);
  await control.setParameters({ ...paths("x86_64", "standard", amd64), ...paths("arm64", "standard", arm64) });
  return { amd64, arm64 };
}
