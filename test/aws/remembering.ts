import type { AwsApi } from "../../src/adapters/aws/api/aws-api.ts";

const pages = new Map<string, Promise<readonly (readonly unknown[])[]>>();

/** Asked once: what is for sale takes seconds to list, and is the same in every new account. */
export function remembering(
  ec2: AwsApi["ec2"],
): Pick<AwsApi["ec2"], "describeInstanceTypes" | "describeInstanceTypeOfferings"> {
  async function* replay<Item>(
    key: string,
    ask: () => AsyncIterable<readonly Item[]>,
  ): AsyncGenerator<readonly Item[]> {
    const asked = pages.get(key) ?? gather(ask());
    pages.set(key, asked);
    yield* (await asked) as readonly (readonly Item[])[];
  }
  return {
    describeInstanceTypes: (input) => replay(`types ${JSON.stringify(input)}`, () => ec2.describeInstanceTypes(input)),
    describeInstanceTypeOfferings: (input) =>
      replay(`offerings ${JSON.stringify(input)}`, () => ec2.describeInstanceTypeOfferings(input)),
  };
}

async function gather<Item>(source: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}
