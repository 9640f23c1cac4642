// What suites import. They run in a process that `npm run test:aws` has told where AWS is.
import * as ec2 from "@aws-sdk/client-ec2";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { AwsApi } from "../../src/adapters/aws/api/aws-api.ts";
import { openAwsApi } from "../../src/adapters/aws/api/open-aws-api.ts";
import { openControl } from "./control.ts";
import { makeImages, type Seeded, seedAccount } from "./seed.ts";

export const endpoint = readEndpoint();
export const region = process.env.AWS_REGION ?? "";
export const control = openControl({ endpoint, region });
const kubernetesVersion = "1.34";

/** The provider's own way to AWS. Close it, or the process does not end. */
export function openApi(): Promise<AwsApi> {
  return openAwsApi({ region, endpoint, version: "test" });
}

/** A new account with nothing in it but what AWS makes. */
export function reset(): Promise<void> {
  return control.reset();
}

/** A new account with a network, images, a role, a cluster and a queue in it. */
export async function seed(): Promise<Seeded> {
  await control.reset();
  const seeded = await seedAccount({ endpoint, region, control, kubernetesVersion });
  await control.clearCalls();
  return seeded;
}

/** Another release of AL2023, to which the alias `al2023@latest` moves. */
export async function releaseImages(version: string): Promise<Seeded["imageIds"]> {
  const client = openEc2();
  try {
    return await makeImages({ client, control, kubernetesVersion, version });
  } finally {
    client.destroy();
  }
}

/** For what the provider never does itself. */
export function openEc2(): ec2.EC2Client {
  return new ec2.EC2Client({ endpoint, region, maxAttempts: 1 });
}

export async function sendMessage(queueUrl: string, body: unknown): Promise<void> {
  const client = new SQSClient({ endpoint, region, maxAttempts: 1 });
  try {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: text }));
  } finally {
    client.destroy();
  }
}

/** For slow machines; only what fails waits so long. */
const patienceMs = 120_000;

/** Looks until it is so. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it did not come true within ${patienceMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function readEndpoint(): string {
  const url = process.env.AWS_ENDPOINT_URL ?? "";
  if (!url.startsWith("http://127.0.0.1:")) {
    throw new Error(`AWS_ENDPOINT_URL is "${url}", which is not an endpoint for tests: run npm run test:aws`);
  }
  return url;
}
