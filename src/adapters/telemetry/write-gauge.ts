import type { Sample } from "../../ports/telemetry.ts";

type Labels = Readonly<Record<string, string>>;
export type AnySample = Sample<Labels>;

/** Gauges in the text format of Prometheus, for the length of one scrape. */
export class GaugeWriter {
  readonly #common = new Map<object, string>();

  *write(samples: Iterable<AnySample>, wireName: string): Generator<string> {
    for (const { common, labels, value } of samples) {
      const first = common === undefined ? "" : this.#commonText(common as Labels);
      const second = labelText(labels as Labels);
      const both = first !== "" && second !== "" ? `${first},${second}` : first + second;
      yield both === "" ? `${wireName} ${numberText(value)}\n` : `${wireName}{${both}} ${numberText(value)}\n`;
    }
  }

  #commonText(labels: Labels): string {
    const known = this.#common.get(labels);
    if (known !== undefined) return known;
    const text = labelText(labels);
    this.#common.set(labels, text);
    return text;
  }
}

export function writeHeader(wireName: string, help: string): string {
  return `# HELP ${wireName} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${wireName} gauge\n`;
}

function labelText(labels: Labels): string {
  let text = "";
  for (const name in labels) text += `${text === "" ? "" : ","}${name}="${escapeValue(labels[name] ?? "")}"`;
  return text;
}

function escapeValue(value: string): string {
  return /[\\"\n]/.test(value) ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n") : value;
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
