import type { Setting } from "./setting.ts";
import { settingsTable } from "./settings-table.ts";

const all = Object.values<Setting<unknown>>(settingsTable);

/** For `karpenter controller --help`. */
export function settingsHelp(): string {
  const lines = all.map(({ flag, variable, placeholder, help, default: value }) => {
    const text = wrap(`${help.replaceAll("`", "")} [${variable}${value === "" ? "" : `, default ${value}`}]`);
    return `  --${flag} <${placeholder}>\n${text}`;
  });
  return `Each flag can also be given by the environment variable in brackets; a flag beats it.\n\n${lines.join("\n")}\n`;
}

const introduction = `# Settings

Flags of \`karpenter controller\` and environment variables, read once at start. A flag beats a variable; what is empty means the default. \`--flag value\`, \`--flag=value\` and \`-flag=value\` all do, and a boolean flag needs no value. Durations are written as in Go: \`10s\`, \`1m30s\`, \`500ms\`.

Whatever cannot be understood (a value, a flag, a feature gate) is an error at start that names it; all of them are told at once.

| Flag | Variable | Value | Default | What it does |
|---|---|---|---|---|
`;

/** docs/settings.md; a test holds the file to it. */
export function documentSettings(): string {
  const rows = all.map(({ flag, variable, placeholder, help, default: value }) => {
    const shown = value === "" ? "" : `\`${value.replaceAll(",", ", ")}\``;
    return `| \`--${flag}\` | \`${variable}\` | \`${placeholder.replaceAll("|", "\\|")}\` | ${shown} | ${help} |`;
  });
  return `${introduction}${rows.join("\n")}\n`;
}

const width = 100;
const indent = "      ";

function wrap(text: string): string {
  const lines = [indent];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line.length + word.length > width && line !== indent) lines.push(`${indent}${word} `);
    else lines[lines.length - 1] = `${line}${word} `;
  }
  return lines.map((line) => line.trimEnd()).join("\n");
}

if (import.meta.main) process.stdout.write(documentSettings());
