import type { Happening, Log, LogFields, Telemetry } from "../../src/ports/telemetry.ts";

/** Keeps what it is told. */
export class RecordingTelemetry implements Telemetry {
  readonly happenings: Happening[] = [];
  readonly lines: { readonly level: string; readonly message: string; readonly fields: LogFields }[] = [];
  /** Sums of what was added, last of what was set, by `name{label="value"}`. */
  readonly numbers = new Map<string, number>();
  readonly observations = new Map<string, number[]>();

  readonly log = this.#logWith({});
  readonly events = { publish: (happening: Happening): void => void this.happenings.push(happening) };
  readonly metrics: Telemetry["metrics"] = {
    add: (name, labels, amount = 1) => {
      const key = seriesOf(name, labels);
      this.numbers.set(key, (this.numbers.get(key) ?? 0) + amount);
    },
    set: (name, labels, value) => void this.numbers.set(seriesOf(name, labels), value),
    observe: (name, labels, value) => {
      const key = seriesOf(name, labels);
      const before = this.observations.get(key);
      if (before === undefined) this.observations.set(key, [value]);
      else before.push(value);
    },
    remove: (name, labels) => {
      // All series of a metric have the same labels, so that with all of them there is one at most.
      if (this.numbers.delete(seriesOf(name, labels))) return;
      const wanted = partsOf(labels);
      for (const key of this.numbers.keys()) {
        if (key.startsWith(`${name}{`) && wanted.every((part) => key.includes(part))) this.numbers.delete(key);
      }
    },
  };

  #logWith(context: LogFields): Log {
    const write =
      (level: string) =>
      (message: string, fields: LogFields = {}): void =>
        void this.lines.push({ level, message, fields: { ...context, ...fields } });
    return {
      debug: write("debug"),
      info: write("info"),
      error: write("error"),
      with: (fields) => this.#logWith({ ...context, ...fields }),
    };
  }
}

/** As it would be scraped. */
function seriesOf(name: string, labels: object): string {
  return `${name}{${partsOf(labels).join(",")}}`;
}

function partsOf(labels: object): string[] {
  return Object.entries(labels).map(([label, value]) => `${label}="${String(value)}"`);
}
