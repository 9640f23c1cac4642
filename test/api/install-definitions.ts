import { setTimeout as sleep } from "node:timers/promises";
import type { CustomResourceDefinition } from "../../src/core/api/definitions/custom-resource-definition.ts";
import { collectionOf, type Send } from "./try-case.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const patienceMs = 20_000;

/** Their kinds are served a little later. */
export async function createDefinitions(send: Send, all: readonly CustomResourceDefinition[]): Promise<void> {
  for (const definition of all) {
    const { status, body } = await send({ method: "POST", path: definitions, body: definition });
    if (status !== 201) throw new Error(`${definition.metadata.name} is refused: ${JSON.stringify(body)}`);
  }
}

export async function waitUntilServed(send: Send, definition: CustomResourceDefinition): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isServed(send, definition))) {
    if (performance.now() > deadline) throw new Error(`${definition.metadata.name} is not served`);
    await sleep(50);
  }
}

async function isServed(send: Send, definition: CustomResourceDefinition): Promise<boolean> {
  const { body } = await send({ method: "GET", path: `${definitions}/${definition.metadata.name}` });
  const { conditions = [] } = (body as { status?: { conditions?: { type: string; status: string }[] } }).status ?? {};
  const isEstablished = conditions.some(({ type, status }) => type === "Established" && status === "True");
  return isEstablished && (await send({ method: "GET", path: collectionOf(definition) })).status === 200;
}
