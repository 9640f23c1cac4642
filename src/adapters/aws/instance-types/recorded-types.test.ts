import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { describe, it } from "node:test";
import { readMachineType } from "./machine-type.ts";
import { decodeType, recordedTypes } from "./recorded-types.ts";
import { RequirementPool } from "./requirement-pool.ts";

const machineOf = (line: string) => readMachineType(decodeType(line), new RequirementPool(), () => []);

describe("recorded instance types", () => {
  it("are all that can be nodes, each once, with memory, in a file that is small enough to ship", () => {
    const types = recordedTypes();
    const names = types.map(({ InstanceType: name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.length > 1_300);
    assert.deepEqual(
      types.filter(({ MemoryInfo }) => !((MemoryInfo?.SizeInMiB ?? 0) >= 512)),
      [],
    );
    assert.ok(statSync(new URL("recorded-types.csv", import.meta.url)).size < 150_000);
  });

  it("tell of a machine what EC2 tells", () => {
    const gpu = machineOf(
      "g4dn.metal,96,393216,x86_64,Intel,2.5,,bdscet,19000,100G,15@100,50,1,1800,gpu:NVIDIA:T4:8:16384",
    );
    assert.deepEqual(
      [gpu?.isMetal, gpu?.memoryMib, gpu?.capacityTypes, gpu?.cards, gpu?.devices.get("nvidia.com/gpu")],
      [true, 393216, ["on-demand", "spot"], [15], 8],
    );
    const neuron = machineOf(
      "trn1.2xlarge,8,32768,x86_64,Intel,2.9,nitro,dset,10000,~12.5G,2*4@3.125,15,2,474,neuron:Trainium:1:2",
    );
    assert.deepEqual(
      [neuron?.cards, neuron?.devices.get("aws.amazon.com/neuroncore"), neuron?.strategies],
      [[4, 4], 2, ["partition", "spread"]],
    );
  });
});
