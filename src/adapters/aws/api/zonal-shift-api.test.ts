import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { errorCodeOf, isNotFound } from "./aws-error.ts";
import { openZonalShiftApi, readManagedResource, type ZonalShiftApiOptions } from "./zonal-shift-api.ts";

const arn = "arn:aws:eks:us-west-2:123456789012:cluster/shop";

describe("zonal shift API", () => {
  it("asks with a signed GET", async () => {
    let asked: IncomingMessage | undefined;
    const answer = await exchange((request, response) => {
      asked = request;
      response.end(
        JSON.stringify({ zonalShifts: [{ awayFrom: "usw2-az1", appliedStatus: "APPLIED", expiryTime: 60 }] }),
      );
    });
    assert.deepEqual(answer, {
      zonalShifts: [{ awayFrom: "usw2-az1", isApplied: true, expiresAt: 60_000 }],
      autoshifts: [],
    });
    assert.equal(asked?.method, "GET");
    assert.equal(asked?.url, "/managedresources/arn%3Aaws%3Aeks%3Aus-west-2%3A123456789012%3Acluster%2Fshop");
    assert.equal(asked?.headers["user-agent"], "karpenter.sh-test");
    assert.equal(asked?.headers["x-amz-security-token"], "token");
    assert.equal(asked?.headers.authorization, signatureOf(asked!));
  });

  it("rejects with the code that AWS answered", async () => {
    const failure = exchange((_, response) => {
      response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException:http://internal/" });
      response.end('{"message":"no such resource"}');
    });
    await assert.rejects(failure, (error) => isNotFound(error) && (error as Error).message === "no such resource");
  });

  it("rejects with the status when the answer is no JSON", async () => {
    const failure = exchange((_, response) => void response.writeHead(502).end("<html>"));
    await assert.rejects(failure, (error) => errorCodeOf(error) === "HTTP502");
  });

  it("leaves out what is not as documented", () => {
    for (const json of [null, 1, [], { zonalShifts: 1 }, { zonalShifts: [null, 1, {}, { awayFrom: 1 }] }])
      assert.deepEqual(readManagedResource(json), { zonalShifts: [], autoshifts: [] });
    assert.deepEqual(readManagedResource({ autoshifts: [{ awayFrom: "a", appliedStatus: "NOT_APPLIED" }] }), {
      zonalShifts: [],
      autoshifts: [{ awayFrom: "a", isApplied: false, expiresAt: undefined }],
    });
  });
});

async function exchange(listener: RequestListener): Promise<unknown> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const api = openZonalShiftApi({
      region: "us-west-2",
      endpoint: `http://127.0.0.1:${port}`,
      userAgent: "karpenter.sh-test",
      credentials: { accessKeyId: "id", secretAccessKey: "secret", sessionToken: "token" },
      sha256: Sha256,
    });
    return await api.getManagedResource(arn);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** What Signature Version 4 says it has to be, reckoned by hand. */
function signatureOf({ headers, url }: IncomingMessage): string {
  const names = /SignedHeaders=([^,]*)/.exec(headers.authorization ?? "")?.[1] ?? "";
  const time = String(headers["x-amz-date"]);
  const scope = `${time.slice(0, 8)}/us-west-2/arc-zonal-shift/aws4_request`;
  const lines = names.split(";").map((name) => `${name}:${headers[name]}\n`);
  const path = (url ?? "").split("/").map(encodeURIComponent).join("/");
  const canonical = `GET\n${path}\n\n${lines.join("")}\n${names}\n${sha256("")}`;
  const key = scope.split("/").reduce<string | Buffer>((secret, part) => hmac(secret, part), "AWS4secret");
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString("hex");
  assert.match(names, /host;.*x-amz-date/);
  return `AWS4-HMAC-SHA256 Credential=id/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** As the SDK brings it along. */
const Sha256 = class {
  readonly #hash;

  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as Buffer);
  }

  update(data: Uint8Array | string): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
} as ZonalShiftApiOptions["sha256"];
