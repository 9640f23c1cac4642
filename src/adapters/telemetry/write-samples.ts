import type { Sample } from "../../ports/telemetry.ts";

type Labels = Readonly<Record<string, string>>;
export type AnySample = Sample<Labels>;

/** A gauge in the text format of Prometheus, line by line. */
export function* writeSamples(samples: Iterable<AnySample>, wireName: string): Generator<string> {
  let lastCommon: object | undefined;
  let commonText = "";
  for (const { common, labels, value } of samples) {
    if (common !== lastCommon) {
      commonText = common === undefined ? "" : labelText(common as Labels);
      lastCommon = common;
    }
    const ownText = labelText(labels as Labels);
    const text = commonText !== "" && ownText !== "" ? `${commonText},${ownText}` : commonText + ownText;
    yield text === "" ? `${wireName} ${numberText(value)}\n` : `${wireName}{${text}} ${numberText(value)}\n`;
  }
}

export function writeHeader(wireName: string, help: string): string {
  return `# HELP ${wireName} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${wireName} gauge\n`;
}

function labelText(labels: Labels): string {
  const parts: string[] = [];
  for (const name in labels) parts.push(`${name}="${escapeValue(labels[name] ?? "")}"`);
  return parts.join(",");
}

function escapeValue(value: string): string {
  return /[\\"\n]/.test(value) ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n") : value;
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
