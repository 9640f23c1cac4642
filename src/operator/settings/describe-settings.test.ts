import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { documentSettings, settingsHelp } from "./describe-settings.ts";

test("docs/settings.md says what the table of settings says", () => {
  const page = readFileSync(new URL("../../../docs/settings.md", import.meta.url), "utf8");
  const renewal = "renew it: npx node src/operator/settings/describe-settings.ts > docs/settings.md";
  assert.equal(page, documentSettings(), renewal);
});

test("the help names every flag with its variable and default, in lines that fit", () => {
  const help = settingsHelp();
  assert.match(help, /--batch-max-duration <duration>\n {6}[^\n]*\n {6}\[BATCH_MAX_DURATION, default 10s\]/);
  assert.deepEqual(
    help.split("\n").filter((line) => line.length > 120 && line.trim().includes(" ")),
    [],
  );
});
