// What names, keys and numbers must look like. Each function answers with the complaints of the API server, none for
// a value that it accepts.

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const label1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
const keyPattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const configKeyPattern = "[-._a-zA-Z0-9]+";
const percentPattern = "[0-9]+%";
const headerPattern = "[-A-Za-z0-9]+";

const isLabel = compile(labelPattern);
const isSubdomain = compile(subdomainPattern);
const isLabel1035 = compile(label1035Pattern);
const isKey = compile(keyPattern);
const isLabelValue = compile(`(${keyPattern})?`);
const isConfigKey = compile(configKeyPattern);
const isPercent = compile(percentPattern);
const isHeader = compile(headerPattern);

/** No rule accepts long values, so they are not matched at all: they could exhaust the stack of a pattern. */
function compile(pattern: string): { test(value: string): boolean } {
  const compiled = new RegExp(`^(?:${pattern})$`);
  return { test: (value) => value.length < 10_000 && compiled.test(value) };
}

/** Bytes, because that is what the server counts. */
function lengthOf(value: string): number {
  return Buffer.byteLength(value);
}

function explain(message: string, pattern: string, ...examples: string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (${quoted === "" ? "" : `e.g. ${quoted}`}regex used for validation is '${pattern}')`;
}

function atMost(length: number): string {
  return `must be no more than ${length} characters`;
}

export function betweenProblem(least: number, most: number): string {
  return `must be between ${least} and ${most}, inclusive`;
}

export function dnsLabelProblems(value: string): string[] {
  const problems = lengthOf(value) > 63 ? [atMost(63)] : [];
  if (isLabel.test(value)) return problems;
  if (isSubdomain.test(value)) return [...problems, "must not contain dots"];
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, explain(message, labelPattern, "my-name", "123-abc")];
}

export function dnsSubdomainProblems(value: string): string[] {
  const problems = lengthOf(value) > 253 ? [atMost(253)] : [];
  if (isSubdomain.test(value)) return problems;
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, explain(message, subdomainPattern, "example.com")];
}

export function dns1035LabelProblems(value: string): string[] {
  const problems = lengthOf(value) > 63 ? [atMost(63)] : [];
  if (isLabel1035.test(value)) return problems;
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, explain(message, label1035Pattern, "my-name", "abc-123")];
}

const keyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyExamples = ["MyName", "my.name", "123-abc"];

/** Keys of labels, names of resources, finalizers and conditions: a name with an optional domain before a slash. */
export function qualifiedNameProblems(value: string): string[] {
  const parts = value.split("/");
  if (parts.length > 2) {
    const hint = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${explain(keyMessage, keyPattern, ...keyExamples)}${hint}`];
  }
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const problems: string[] = [];
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined)
    problems.push(
      ...dnsSubdomainProblems(prefix).map((problem) => `prefix part ${problem.replace("253 characters", "253 bytes")}`),
    );
  if (name === "") problems.push("name part must be non-empty");
  else if (lengthOf(name) > 63) problems.push("name part must be no more than 63 bytes");
  if (!isKey.test(name)) problems.push(`name part ${explain(keyMessage, keyPattern, ...keyExamples)}`);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems = lengthOf(value) > 63 ? ["must be no more than 63 bytes"] : [];
  if (isLabelValue.test(value)) return problems;
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...problems, explain(message, `(${keyPattern})?`, "MyValue", "my_value", "12345")];
}

export function configKeyProblems(value: string): string[] {
  const problems = lengthOf(value) > 253 ? [atMost(253)] : [];
  if (!isConfigKey.test(value)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(explain(message, configKeyPattern, "key.name", "KEY_NAME", "key-name"));
  }
  if (value === ".") problems.push("must not be '.'");
  else if (value === "..") problems.push("must not be '..'");
  else if (value.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

export function environmentNameProblems(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  return /^[ -<>-~]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function portNumberProblems(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : [betweenProblem(1, 65535)];
}

export function portNameProblems(value: string): string[] {
  const problems = lengthOf(value) > 15 ? [atMost(15)] : [];
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function percentProblems(value: string): string[] {
  if (isPercent.test(value)) return [];
  const message = "a valid percent string must be a numeric string followed by an ending '%'";
  return [explain(message, percentPattern, "1%", "93%")];
}

export function headerNameProblems(value: string): string[] {
  if (isHeader.test(value)) return [];
  const message = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [explain(message, headerPattern, "X-Header-Name")];
}

/** Names that stand alone in a URL, as those of RBAC objects. */
export function pathSegmentProblems(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((sign) => value.includes(sign)).map((sign) => `may not contain '${sign}'`);
}
