import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InstanceStatus } from "@aws-sdk/client-ec2";
import { findUnhealthy } from "./find-unhealthy.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

function failedFor(seconds: number, Status: "failed" | "passed" | "insufficient-data" = "failed") {
  return {
    Status: "impaired" as const,
    Details: [{ Name: "reachability" as const, Status, ImpairedSince: new Date(now - seconds * 1000) }],
  };
}

function categories(...statuses: readonly InstanceStatus[]): Record<string, readonly string[]> {
  const found = findUnhealthy(
    statuses.map((status) => ({ InstanceId: "i-1", ...status })),
    now,
  );
  return Object.fromEntries(found.map((one) => [one.instanceId, [...one.categories]]));
}

describe("finding unhealthy instances", () => {
  test("a check counts once it has failed for two minutes", () => {
    assert.deepEqual(categories({ InstanceStatus: failedFor(119) }), {});
    assert.deepEqual(categories({ InstanceStatus: failedFor(120) }), { "i-1": ["InstanceStatus"] });
    assert.deepEqual(categories({ SystemStatus: failedFor(120) }), { "i-1": ["SystemStatus"] });
  });

  test("what has not failed does not count, whatever the summary says", () => {
    assert.deepEqual(categories({ InstanceStatus: failedFor(600, "passed") }), {});
    assert.deepEqual(categories({ SystemStatus: failedFor(600, "insufficient-data") }), {});
    assert.deepEqual(categories({ SystemStatus: { Status: "impaired" } }), {});
    assert.deepEqual(categories({}), {});
  });

  test("a failure that nobody knows the beginning of counts", () => {
    const InstanceStatus = { Details: [{ Status: "failed" as const }] };
    assert.deepEqual(categories({ InstanceStatus }), { "i-1": ["InstanceStatus"] });
  });

  test("volumes do not count", () => {
    const AttachedEbsStatus = { Details: [{ Status: "failed" as const, ImpairedSince: new Date(0) }] };
    assert.deepEqual(categories({ AttachedEbsStatus }), {});
  });

  test("scheduled work counts at once, until it is done or called off", () => {
    const event = (Description: string) => ({ Events: [{ Code: "instance-retirement" as const, Description }] });
    assert.deepEqual(categories(event("The instance is running on degraded hardware")), { "i-1": ["EventStatus"] });
    assert.deepEqual(categories(event("[Completed] The instance was rebooted")), {});
    assert.deepEqual(categories(event("[Canceled] The instance was to be rebooted")), {});
    assert.deepEqual(categories({ Events: [{ Code: "system-reboot" }] }), { "i-1": ["EventStatus"] });
  });

  test("an instance that several questions find is told once, with all that is wrong", () => {
    const status = { InstanceStatus: failedFor(300), SystemStatus: failedFor(300) };
    assert.deepEqual(categories(status, status, { Events: [{}] }, { InstanceId: "i-2", Events: [{}] }), {
      "i-1": ["InstanceStatus", "SystemStatus", "EventStatus"],
      "i-2": ["EventStatus"],
    });
  });

  test("a status without an instance is passed over", () => {
    assert.deepEqual(findUnhealthy([{ Events: [{}] }], now), []);
  });
});
