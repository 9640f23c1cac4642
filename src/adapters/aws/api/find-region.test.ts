import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { findRegion } from "./find-region.ts";

test("the machine tells its region to whoever shows the token", async () => {
  const server = createServer((request, response) => {
    if (request.method === "PUT" && request.url === "/latest/api/token") response.end("secret");
    else if (request.headers["x-aws-ec2-metadata-token"] === "secret") response.end("eu-west-1");
    else response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    assert.equal(await findRegion(`http://127.0.0.1:${port}`), "eu-west-1");
  } finally {
    server.close();
  }
  assert.equal(await findRegion(`http://127.0.0.1:${port}`), undefined);
});
