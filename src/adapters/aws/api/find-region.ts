/** Where a machine on EC2 tells about itself. */
const metadataAddress = "http://169.254.169.254";
const longestAnswer = 2_000;

/**
 * The region of the machine that this process runs on, for where neither the environment nor a profile names one.
 * Undefined when it is none of EC2's, or its pods may not ask.
 */
export async function findRegion(address = metadataAddress): Promise<string | undefined> {
  const signal = AbortSignal.timeout(longestAnswer);
  try {
    const token = await ask(`${address}/latest/api/token`, {
      method: "PUT",
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": "60" },
      signal,
    });
    const headers = { "x-aws-ec2-metadata-token": token };
    return await ask(`${address}/latest/meta-data/placement/region`, { headers, signal });
  } catch {
    return undefined;
  }
}

async function ask(url: string, request: RequestInit): Promise<string> {
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.text();
}
