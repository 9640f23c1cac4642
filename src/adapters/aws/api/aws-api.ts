import type * as ec2 from "@aws-sdk/client-ec2";
import type * as eks from "@aws-sdk/client-eks";
import type * as iam from "@aws-sdk/client-iam";
import type * as pricing from "@aws-sdk/client-pricing";
import type * as sqs from "@aws-sdk/client-sqs";

/**
 * The calls that the provider makes, and no others. What comes in pages comes whole, or page by page where it is much.
 * A call that fails rejects with the error of the SDK; `errorCodeOf` names it.
 */
export interface AwsApi {
  readonly region: string;
  readonly ec2: Ec2Api;
  readonly iam: IamApi;
  readonly ssm: SsmApi;
  readonly pricing: PricingApi;
  readonly eks: EksApi;
  readonly sqs: SqsApi;
  readonly zonalShift: ZonalShiftApi;
  close(): void;
}

type Unpaged<Input> = Omit<Input, "NextToken" | "MaxResults" | "Marker" | "MaxItems">;

export interface Ec2Api {
  describeInstanceTypes(
    input: Unpaged<ec2.DescribeInstanceTypesCommandInput>,
  ): AsyncIterable<readonly ec2.InstanceTypeInfo[]>;
  describeInstanceTypeOfferings(
    input: Unpaged<ec2.DescribeInstanceTypeOfferingsCommandInput>,
  ): AsyncIterable<readonly ec2.InstanceTypeOffering[]>;
  describeSpotPriceHistory(
    input: Unpaged<ec2.DescribeSpotPriceHistoryCommandInput>,
  ): AsyncIterable<readonly ec2.SpotPrice[]>;
  describeSubnets(input: Unpaged<ec2.DescribeSubnetsCommandInput>): Promise<readonly ec2.Subnet[]>;
  describeSecurityGroups(input: Unpaged<ec2.DescribeSecurityGroupsCommandInput>): Promise<readonly ec2.SecurityGroup[]>;
  describeImages(input: Unpaged<ec2.DescribeImagesCommandInput>): Promise<readonly ec2.Image[]>;
  describeCapacityReservations(
    input: Unpaged<ec2.DescribeCapacityReservationsCommandInput>,
  ): Promise<readonly ec2.CapacityReservation[]>;
  describePlacementGroups(input: ec2.DescribePlacementGroupsCommandInput): Promise<readonly ec2.PlacementGroup[]>;
  describeLaunchTemplates(
    input: Unpaged<ec2.DescribeLaunchTemplatesCommandInput>,
  ): Promise<readonly ec2.LaunchTemplate[]>;
  createLaunchTemplate(input: ec2.CreateLaunchTemplateCommandInput): Promise<ec2.CreateLaunchTemplateCommandOutput>;
  deleteLaunchTemplate(input: ec2.DeleteLaunchTemplateCommandInput): Promise<unknown>;
  createFleet(input: ec2.CreateFleetCommandInput): Promise<ec2.CreateFleetCommandOutput>;
  /** Only ever as a dry run. */
  runInstances(input: ec2.RunInstancesCommandInput & { readonly DryRun: true }): Promise<unknown>;
  describeInstances(input: Unpaged<ec2.DescribeInstancesCommandInput>): Promise<readonly ec2.Instance[]>;
  describeInstanceStatus(
    input: Unpaged<ec2.DescribeInstanceStatusCommandInput>,
  ): Promise<readonly ec2.InstanceStatus[]>;
  terminateInstances(input: ec2.TerminateInstancesCommandInput): Promise<readonly ec2.InstanceStateChange[]>;
  createTags(input: ec2.CreateTagsCommandInput): Promise<unknown>;
}

export interface IamApi {
  getInstanceProfile(name: string): Promise<iam.InstanceProfile | undefined>;
  listInstanceProfiles(pathPrefix: string): Promise<readonly iam.InstanceProfile[]>;
  createInstanceProfile(input: iam.CreateInstanceProfileCommandInput): Promise<unknown>;
  deleteInstanceProfile(name: string): Promise<unknown>;
  addRoleToInstanceProfile(input: iam.AddRoleToInstanceProfileCommandInput): Promise<unknown>;
  removeRoleFromInstanceProfile(input: iam.RemoveRoleFromInstanceProfileCommandInput): Promise<unknown>;
}

export interface SsmApi {
  /** The value of a parameter. */
  getParameter(name: string): Promise<string | undefined>;
}

export interface PricingApi {
  /** Pages of price lists, each product a text in JSON. */
  getProducts(input: Unpaged<pricing.GetProductsCommandInput>): AsyncIterable<readonly string[]>;
}

export interface EksApi {
  describeCluster(name: string): Promise<eks.Cluster | undefined>;
}

export interface SqsApi {
  getQueueUrl(queueName: string): Promise<string>;
  /** Ends early, and with nothing, when the signal says so. */
  receiveMessages(input: sqs.ReceiveMessageCommandInput, signal: AbortSignal): Promise<readonly sqs.Message[]>;
  deleteMessage(input: { readonly QueueUrl: string; readonly ReceiptHandle: string }): Promise<unknown>;
}

export interface ZonalShiftApi {
  /** What is known of a resource that traffic can be shifted for, such as a cluster. */
  getManagedResource(arn: string): Promise<ManagedResource>;
}

export interface ManagedResource {
  readonly zonalShifts: readonly ShiftAway[];
  /** Those that AWS began by itself; they end when AWS says so. */
  readonly autoshifts: readonly ShiftAway[];
}

export interface ShiftAway {
  /** The id of a zone. */
  readonly awayFrom: string;
  /** A shift may wait for another that has precedence. */
  readonly isApplied: boolean;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
}
