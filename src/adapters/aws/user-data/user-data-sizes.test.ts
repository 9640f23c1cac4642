import assert from "node:assert/strict";
import { test } from "node:test";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { RecordingTelemetry } from "../../../../test/support/recording-telemetry.ts";
import { UserDataSizes } from "./user-data-sizes.ts";

test("the largest user data of each node class are told until it goes or changes, and large ones once in the log", () => {
  const telemetry = new RecordingTelemetry();
  const one = modelEc2NodeClass({ name: "one", uid: "1", generation: 1 });
  let nodeClasses = [one];
  const sizes = new UserDataSizes({ nodeClasses: { values: () => nodeClasses }, telemetry });
  sizes.start();
  sizes.note(one, { bytes: 900, ignored: ["settings.kubernetes.novel"] });
  sizes.note(one, { bytes: 15_000, ignored: ["settings.kubernetes.novel"] });
  sizes.note(one, { bytes: 15_100, ignored: [] });
  sizes.note(one, { bytes: 100, ignored: [] });
  assert.deepEqual([...telemetry.scrape()], [['ec2nodeclasses_userdata_bytes{nodeclass="one"}', 15_100]]);
  assert.equal(telemetry.lines.filter(({ message }) => message.includes("shorten")).length, 1);
  assert.equal(telemetry.lines.filter(({ fields }) => "ignored" in fields).length, 1);
  sizes.note({ ...one, generation: 2 }, { bytes: 50, ignored: [] });
  assert.deepEqual([...telemetry.scrape().values()], [50]);
  nodeClasses = [];
  assert.equal(telemetry.scrape().size, 0);
  sizes.stop();
});
