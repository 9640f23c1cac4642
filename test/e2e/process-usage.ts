import { readFileSync } from "node:fs";

export interface ProcessUsage {
  readonly residentMegabytes: number;
  readonly peakResidentMegabytes: number;
  /** Of all threads, in user and kernel mode, since the process started. */
  readonly cpuSeconds: number;
}

/** Clock ticks a second: the same on every Linux. */
const ticks = 100;

export function readProcessUsage(processId: number): ProcessUsage {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  // The name of the program comes second, in brackets, and may hold anything.
  const stat = readFileSync(`/proc/${processId}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    residentMegabytes: megabytes("VmRSS"),
    peakResidentMegabytes: megabytes("VmHWM"),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticks,
  };
}
