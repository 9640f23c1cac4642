import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { isAnswer } from "./aws-error.ts";
import { openAwsApi, pricingRegionOf } from "./open-aws-api.ts";

test("a call that nobody answers fails in the end, so that it can be asked again", () => failsInTheEnd(() => {}));

test("a call whose answer stops halfway fails in the end, too", () =>
  failsInTheEnd((response) => {
    response.writeHead(200, { "content-type": "text/xml", "content-length": "1000" });
    response.write("<Half");
  }));

async function failsInTheEnd(answer: (response: ServerResponse) => void): Promise<void> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const before = { id: process.env.AWS_ACCESS_KEY_ID, key: process.env.AWS_SECRET_ACCESS_KEY };
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key" });
  const api = await openAwsApi({
    region: "us-west-2",
    endpoint: `http://127.0.0.1:${port}`,
    version: "0",
    answerMilliseconds: 20,
  });
  try {
    const error: unknown = await api.ec2.describePlacementGroups({}).then(
      () => assert.fail("nobody answered"),
      (failure: unknown) => failure,
    );
    assert.equal(isAnswer(error), false);
    assert.ok(requests > 1, "it is tried again");
  } finally {
    api.close();
    server.closeAllConnections();
    server.close();
    restore("AWS_ACCESS_KEY_ID", before.id);
    restore("AWS_SECRET_ACCESS_KEY", before.key);
  }
}

test("prices are asked for in the region that tells them", () => {
  const regions = ["us-west-2", "eu-north-1", "ap-southeast-7", "cn-north-1", "sa-east-1"];
  assert.deepEqual(regions.map(pricingRegionOf), [
    "us-east-1",
    "eu-central-1",
    "ap-south-1",
    "cn-northwest-1",
    "us-east-1",
  ]);
});

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
