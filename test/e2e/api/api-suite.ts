import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { moduleFolder } from "../../../scripts/lab/binaries.ts";
import { startControlPlane } from "../../../scripts/lab/control-plane.ts";
import type { CustomResourceDefinition } from "../../../src/core/api/definitions/custom-resource-definition.ts";
import { EmbeddedCluster } from "../../../src/embedded/cluster.ts";
import { systemClock } from "../../../src/embedded/time/system-clock.ts";
import { admissionCases, type NamedCase } from "../../api/admission-cases.ts";
import { createDefinitions, waitUntilServed } from "../../api/install-definitions.ts";
import { type Answer, type Send, tryCase } from "../../api/try-case.ts";
import { createHttpTransport, type Transport } from "../../contract/transport.ts";
import { type Suite, type SuiteContext, timed } from "../suite.ts";
import { compareFacts } from "./definition-facts.ts";

const ownFolder = join(import.meta.dirname, "../../../charts/karpenter/crds");

/** A real API server takes our definitions, and judges with them as the embedded one does and as with the Go version's. */
export const apiSuite: Suite = {
  name: "api",
  async run(context) {
    const ours = readDefinitions(ownFolder);
    const theirs = await upstreamDefinitions();
    const { took } = context;
    const real = await timed(took, "a real API server", () => answersOfReal(ours, context));
    const embedded = await timed(took, "the embedded one", () => answersOfEmbedded(ours));
    const foreign = await timed(took, "definitions of the Go version", () => answersOfReal(theirs, context));
    const verdicts = admissionCases.flatMap((one) => [
      ...compare(one, { real: answerTo(one, real), embedded: answerTo(one, embedded) }),
      ...compareWithUpstream(one, { real: answerTo(one, real), foreign: answerTo(one, foreign) }),
    ]);
    return [...compareDefinitions(ours, theirs), ...verdicts];
  },
};

/** The AWS provider has copies of those of the core beside its own. */
async function upstreamDefinitions(): Promise<CustomResourceDefinition[]> {
  const core = await moduleFolder("karpenter");
  const aws = readDefinitions(join(await moduleFolder("karpenter-provider-aws"), "pkg/apis/crds"));
  return [
    ...["pkg/apis/crds", "kwok/apis/crds"].flatMap((folder) => readDefinitions(join(core, folder))),
    ...aws.filter(({ spec }) => spec.group === "karpenter.k8s.aws"),
  ];
}

function compareDefinitions(
  ours: readonly CustomResourceDefinition[],
  theirs: readonly CustomResourceDefinition[],
): string[] {
  return theirs.flatMap((definition) => {
    const { name } = definition.metadata;
    const own = ours.find(({ metadata }) => metadata.name === name);
    return own === undefined ? [`${name} is missing`] : compareFacts(own, definition);
  });
}

type Answers = ReadonlyMap<string, Answer>;

function answerTo({ name }: NamedCase, answers: Answers): Answer {
  const answer = answers.get(name);
  if (answer === undefined) throw new Error(`There is no answer to ${name}`);
  return answer;
}

function readDefinitions(folder: string): CustomResourceDefinition[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => parse(readFileSync(join(folder, name), "utf8"), { version: "1.1" }) as CustomResourceDefinition);
}

async function answersOfReal(
  definitions: readonly CustomResourceDefinition[],
  { progress }: SuiteContext,
): Promise<Answers> {
  const plane = await startControlPlane({ progress });
  const transport = createHttpTransport(plane);
  try {
    const send = sendOver(transport);
    await createDefinitions(send, definitions);
    for (const definition of definitions) await waitUntilServed(send, definition);
    const answers = await answersTo(send);
    progress(`${answers.size} objects judged`);
    return answers;
  } finally {
    transport.close();
    await plane.stop();
  }
}

async function answersOfEmbedded(definitions: readonly CustomResourceDefinition[]): Promise<Answers> {
  const cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["scheduler", "workloads", "kubelet"] });
  try {
    const send: Send = (request) => cluster.transport.send(request);
    await createDefinitions(send, definitions);
    cluster.settle();
    return await answersTo(send);
  } finally {
    cluster.stop();
  }
}

async function answersTo(send: Send): Promise<Answers> {
  const answers = new Map<string, Answer>();
  for (const one of admissionCases) answers.set(one.name, await tryCase(send, one));
  return answers;
}

function sendOver(transport: Transport): Send {
  return async ({ method, path, body }) => {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await transport.send({ method, path, headers, ...sent });
    return { status: response.status, body: response.body === "" ? {} : JSON.parse(response.body) };
  };
}

function compare(one: NamedCase, { real, embedded }: { real: Answer; embedded: Answer }): string[] {
  const problems: string[] = [];
  if (real.isTaken !== (one.refusal === undefined)) problems.push(`real: ${wordsOf(real)}`);
  else if (!real.message.includes(one.refusal ?? "")) problems.push(`does not say "${one.refusal}": ${real.message}`);
  if (real.message !== embedded.message) problems.push(`real:     ${wordsOf(real)}`, `embedded: ${wordsOf(embedded)}`);
  if (!isDeepStrictEqual(real.stored, embedded.stored))
    problems.push(`real:     ${JSON.stringify(real.stored)}`, `embedded: ${JSON.stringify(embedded.stored)}`);
  return describe(one, problems);
}

function compareWithUpstream(one: NamedCase, { real, foreign }: { real: Answer; foreign: Answer }): string[] {
  const isAlike = real.isTaken === foreign.isTaken && isDeepStrictEqual(real.stored, foreign.stored);
  if (isAlike === (one.unlikeUpstream === undefined)) return [];
  if (isAlike) return describe(one, ["is judged alike by the Go version, and said not to be"]);
  const stored = ({ stored }: Answer) => JSON.stringify(stored);
  return describe(one, [
    `with our definitions:    ${wordsOf(real)} ${stored(real)}`,
    `with those of upstream:  ${wordsOf(foreign)} ${stored(foreign)}`,
  ]);
}

function wordsOf({ isTaken, message }: Answer): string {
  return isTaken ? "taken" : message;
}

function describe({ definition, title }: NamedCase, problems: readonly string[]): string[] {
  if (problems.length === 0) return [];
  return [`${definition.spec.names.kind} with ${title}:\n${problems.map((problem) => `  ${problem}`).join("\n")}`];
}
