import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FileCredentials } from "./file-credentials.ts";

const minute = 60_000;

describe("credentials in files", () => {
  it("are read again each minute at most", async () => {
    let reads = 0;
    const credentials = new FileCredentials(() => ({ authorization: `Bearer ${++reads}` }));
    const seen = [];
    for (const now of [0, 1, minute - 1, minute, minute + 1]) seen.push(await credentials.current(now));
    assert.deepEqual(
      seen.map(({ authorization }) => authorization),
      ["Bearer 2", "Bearer 2", "Bearer 2", "Bearer 3", "Bearer 3"],
    );
  });

  it("stay as they are while the files cannot be read", async () => {
    let isThere = true;
    const credentials = new FileCredentials(() => {
      if (!isThere) throw new Error("not there");
      return { authorization: "Bearer one" };
    });
    const first = await credentials.current(0);
    isThere = false;
    assert.equal(await credentials.current(minute), first);
    assert.equal(await credentials.renew(first, minute), false);
  });

  it("are read at once when the server refuses them", async () => {
    let token = "old";
    const credentials = new FileCredentials(() => ({ authorization: token }));
    const refused = await credentials.current(0);
    assert.equal(await credentials.renew(refused, 1), false);
    token = "new";
    assert.equal(await credentials.renew(refused, 2), true);
    assert.deepEqual(await credentials.current(2), { authorization: "new" });
  });
});
