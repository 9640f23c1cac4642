import * as ec2 from "@aws-sdk/client-ec2";
import { DescribeClusterCommand, EKSClient } from "@aws-sdk/client-eks";
import * as iam from "@aws-sdk/client-iam";
import { PricingClient, paginateGetProducts } from "@aws-sdk/client-pricing";
import { DeleteMessageCommand, GetQueueUrlCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { AwsApi, Ec2Api, IamApi } from "./aws-api.ts";
import { isNotFound } from "./aws-error.ts";
import { findRegion } from "./find-region.ts";
import { openZonalShiftApi } from "./zonal-shift-api.ts";

export interface AwsApiOptions {
  /** What the environment, a profile or the machine says where absent. */
  readonly region?: string;
  /** AWS itself, or what the environment says (AWS_ENDPOINT_URL), where absent. */
  readonly endpoint?: string;
  readonly version: string;
  /** How long an answer may take; one minute where absent. */
  readonly answerMilliseconds?: number;
}

const attempts = 5;

/** AWS through its SDK, with the credentials of the default chain. */
export async function openAwsApi({
  region,
  endpoint,
  version,
  answerMilliseconds = 60_000,
}: AwsApiOptions): Promise<AwsApi> {
  const found = region ?? (await configuredRegion()) ?? (await findRegion());
  if (found === undefined) throw new Error("cannot tell the AWS region: set AWS_REGION to that of the cluster");
  const options = {
    region: found,
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: attempts,
    customUserAgent: `karpenter.sh-${version}`,
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: answerMilliseconds,
      // Otherwise it would only complain, and wait on.
      throwOnRequestTimeout: true,
      // An answer that has begun may stop halfway.
      socketTimeout: answerMilliseconds,
    },
  };
  const ec2Client = new ec2.EC2Client(options);
  // Whether to buy again is for those to say who know whether we still lead.
  const buyingClient = new ec2.EC2Client({ ...options, maxAttempts: 1 });
  const iamClient = new iam.IAMClient(options);
  const ssmClient = new SSMClient(options);
  const pricingClient = new PricingClient({ ...options, region: pricingRegionOf(found) });
  const eksClient = new EKSClient(options);
  // A long poll lasts 20 seconds, and must not keep others from a connection.
  const sqsClient = new SQSClient(options);
  return {
    region: found,
    ec2: {
      ...ec2ApiOf(ec2Client),
      createFleet: (input) => buyingClient.send(new ec2.CreateFleetCommand(input)),
    },
    iam: iamApiOf(iamClient),
    ssm: {
      getParameter: async (Name) => (await ssmClient.send(new GetParameterCommand({ Name }))).Parameter?.Value,
    },
    pricing: {
      async *getProducts(input) {
        for await (const { PriceList = [] } of paginateGetProducts({ client: pricingClient, pageSize: 100 }, input)) {
          yield PriceList.map(String);
        }
      },
    },
    eks: {
      describeCluster: async (name) => (await eksClient.send(new DescribeClusterCommand({ name }))).cluster,
    },
    sqs: {
      getQueueUrl: async (QueueName) => (await sqsClient.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl ?? "",
      receiveMessages: async (input, abortSignal) => {
        try {
          return (await sqsClient.send(new ReceiveMessageCommand(input), { abortSignal })).Messages ?? [];
        } catch (error) {
          if (abortSignal.aborted) return [];
          throw error;
        }
      },
      deleteMessage: (input) => sqsClient.send(new DeleteMessageCommand(input)),
    },
    zonalShift: openZonalShiftApi({
      region: found,
      endpoint,
      userAgent: options.customUserAgent,
      credentials: ec2Client.config.credentials,
      sha256: ec2Client.config.sha256,
    }),
    close: () => {
      for (const client of [ec2Client, buyingClient, iamClient, ssmClient, pricingClient, eksClient, sqsClient])
        client.destroy();
    },
  };
}

async function configuredRegion(): Promise<string | undefined> {
  try {
    return await new ec2.EC2Client({}).config.region();
  } catch {
    return undefined;
  }
}

/** Prices are told in few regions, each for those around it. */
export function pricingRegionOf(region: string): string {
  if (region.startsWith("ap-")) return "ap-south-1";
  if (region.startsWith("cn-")) return "cn-northwest-1";
  if (region.startsWith("eu-")) return "eu-central-1";
  return "us-east-1";
}

function ec2ApiOf(client: ec2.EC2Client): Omit<Ec2Api, "createFleet"> {
  const paged = (pageSize: number) => ({ client, pageSize });
  return {
    async *describeInstanceTypes(input) {
      for await (const page of ec2.paginateDescribeInstanceTypes(paged(100), input)) yield page.InstanceTypes ?? [];
    },
    async *describeInstanceTypeOfferings(input) {
      for await (const page of ec2.paginateDescribeInstanceTypeOfferings(paged(1000), input)) {
        yield page.InstanceTypeOfferings ?? [];
      }
    },
    async *describeSpotPriceHistory(input) {
      for await (const page of ec2.paginateDescribeSpotPriceHistory(paged(2000), input)) {
        yield page.SpotPriceHistory ?? [];
      }
    },
    describeSubnets: (input) => gather(ec2.paginateDescribeSubnets(paged(500), input), (page) => page.Subnets),
    describeSecurityGroups: (input) =>
      gather(ec2.paginateDescribeSecurityGroups(paged(500), input), (page) => page.SecurityGroups),
    describeImages: (input) => gather(ec2.paginateDescribeImages(paged(1000), input), (page) => page.Images),
    // Ids and a page size exclude each other.
    describeCapacityReservations: async (input) =>
      input.CapacityReservationIds === undefined
        ? gather(ec2.paginateDescribeCapacityReservations(paged(1000), input), (page) => page.CapacityReservations)
        : ((await client.send(new ec2.DescribeCapacityReservationsCommand(input))).CapacityReservations ?? []),
    describePlacementGroups: async (input) =>
      (await client.send(new ec2.DescribePlacementGroupsCommand(input))).PlacementGroups ?? [],
    describeLaunchTemplates: async (input) =>
      input.LaunchTemplateNames === undefined && input.LaunchTemplateIds === undefined
        ? gather(ec2.paginateDescribeLaunchTemplates(paged(200), input), (page) => page.LaunchTemplates)
        : ((await client.send(new ec2.DescribeLaunchTemplatesCommand(input))).LaunchTemplates ?? []),
    createLaunchTemplate: (input) => client.send(new ec2.CreateLaunchTemplateCommand(input)),
    deleteLaunchTemplate: (input) => client.send(new ec2.DeleteLaunchTemplateCommand(input)),
    runInstances: (input) => client.send(new ec2.RunInstancesCommand(input)),
    describeInstances: async (input) => {
      const reservations =
        input.InstanceIds === undefined
          ? await gather(ec2.paginateDescribeInstances(paged(1000), input), (page) => page.Reservations)
          : ((await client.send(new ec2.DescribeInstancesCommand(input))).Reservations ?? []);
      return reservations.flatMap(({ Instances = [] }) => Instances);
    },
    describeInstanceStatus: (input) =>
      gather(ec2.paginateDescribeInstanceStatus(paged(1000), input), (page) => page.InstanceStatuses),
    terminateInstances: async (input) =>
      (await client.send(new ec2.TerminateInstancesCommand(input))).TerminatingInstances ?? [],
    createTags: (input) => client.send(new ec2.CreateTagsCommand(input)),
  };
}

function iamApiOf(client: iam.IAMClient): IamApi {
  return {
    getInstanceProfile: async (InstanceProfileName) => {
      try {
        return (await client.send(new iam.GetInstanceProfileCommand({ InstanceProfileName }))).InstanceProfile;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    listInstanceProfiles: (PathPrefix) =>
      gather(
        iam.paginateListInstanceProfiles({ client, pageSize: 1000 }, { PathPrefix }),
        (page) => page.InstanceProfiles,
      ),
    createInstanceProfile: (input) => client.send(new iam.CreateInstanceProfileCommand(input)),
    deleteInstanceProfile: (InstanceProfileName) =>
      client.send(new iam.DeleteInstanceProfileCommand({ InstanceProfileName })),
    addRoleToInstanceProfile: (input) => client.send(new iam.AddRoleToInstanceProfileCommand(input)),
    removeRoleFromInstanceProfile: (input) => client.send(new iam.RemoveRoleFromInstanceProfileCommand(input)),
  };
}

async function gather<Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly Item[] | undefined,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pages) for (const item of itemsOf(page) ?? []) items.push(item);
  return items;
}
