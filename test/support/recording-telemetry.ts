import type { Happening, Log, LogFields, Readings, Telemetry } from "../../src/ports/telemetry.ts";

/** Keeps what it is told. */
export class RecordingTelemetry implements Telemetry {
  readonly happenings: Happening[] = [];
  readonly lines: { readonly level: string; readonly message: string; readonly fields: LogFields }[] = [];
  /** Sums of what was added, last of what was set, by `name{label="value"}`. */
  readonly numbers = new Map<string, number>();
  readonly observations = new Map<string, number[]>();
  readonly #sources = new Set<() => Readings>();

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
    collect: (read) => {
      this.#sources.add(read);
      return () => void this.#sources.delete(read);
    },
  };

  /** What is collected now, by `name{label="value"}`. */
  scrape(): Map<string, number> {
    const gauges = new Map<string, number>();
    for (const read of this.#sources) {
      for (const [name, samples] of Object.entries(read())) {
        for (const { common, labels, value } of samples) {
          const series = seriesOf(name, { ...common, ...labels });
          if (gauges.has(series)) throw new Error(`${series} is told twice`);
          gauges.set(series, value);
        }
      }
    }
    return gauges;
  }

  #logWith(context: LogFields): Log {
    const write =
      (level: string) =>
      (message: string, fields: LogFields = {}): void =>
        void this.lines.push({ level, message, fields: { ...context, ...fields } });
    return {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      with: (fields) => this.#logWith({ ...context, ...fields }),
    };
  }
}

/** As it would be scraped. */
function seriesOf(name: string, labels: object): string {
  let parts = "";
  for (const [label, value] of Object.entries(labels)) parts += `${parts && ","}${label}="${String(value)}"`;
  return `${name}{${parts}}`;
}
