import type { Message } from "@aws-sdk/client-sqs";
import type { Log } from "../../../ports/telemetry.ts";
import { NotLeadingError } from "../../../runtime/kube-client.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import type { SqsApi } from "../api/aws-api.ts";
import { isNotFound, messageOf } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { Interruption } from "./interruption.ts";
import { InterruptionActor, type InterruptionActorOptions } from "./interruption-actor.ts";
import { ObservedQueueHealth, type QueueHealth } from "./queue-health.ts";
import { type Problem, readMessage } from "./read-message.ts";
import { tryEach } from "./try-each.ts";

export interface InterruptionWatchOptions extends InterruptionActorOptions {
  readonly sqs: SqsApi;
  readonly queueName: string;
  readonly region: string;
}

const name = "interruption";
/** As many as SQS gives at a time; all are worked on at once. */
const batchSize = 10;
const waitSeconds = 20;
/** A message that was not dealt with comes back after that. */
const visibilitySeconds = 20;
/** Whoever is interrupted has two minutes at best. */
const longestBackoff = 20_000;
const longestPiece = 120;

/** Follows the queue that EventBridge puts interruptions in. A message leaves it once it was acted on. */
export class InterruptionWatch {
  readonly #options: InterruptionWatchOptions;
  readonly #log: Log;
  readonly #actor: InterruptionActor;
  readonly #loop: WorkLoop;
  readonly #ending = new AbortController();
  readonly #health = new ObservedQueueHealth();
  #queueUrl: string | undefined;

  constructor(options: InterruptionWatchOptions) {
    const { clock, telemetry, queueName } = options;
    this.#options = options;
    this.#log = telemetry.log.with({ controller: name, queue: queueName });
    this.#actor = new InterruptionActor(name, options);
    this.#loop = new WorkLoop({
      name,
      reconcile: () => this.#receive(),
      concurrency: 1,
      longestBackoff,
      clock,
      telemetry,
    });
  }

  get health(): QueueHealth {
    return this.#health;
  }

  start(): void {
    this.#actor.start();
    this.#loop.enqueue(this.#options.queueName);
  }

  /** Ends the poll at once, and waits for messages that are being acted on. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#loop.stop();
    this.#actor.stop();
  }

  async #receive(): Promise<number> {
    const { sqs } = this.#options;
    const QueueUrl = await this.#findQueue();
    const input = {
      QueueUrl,
      MaxNumberOfMessages: batchSize,
      VisibilityTimeout: visibilitySeconds,
      WaitTimeSeconds: waitSeconds,
    };
    const messages = await this.#ask("sqs:ReceiveMessage", () => sqs.receiveMessages(input, this.#ending.signal));
    this.#health.observe("followed");
    const errors = await tryEach(messages, (message) => this.#handle(QueueUrl, message));
    const notLeading = errors.find((error) => error instanceof NotLeadingError);
    if (notLeading !== undefined) throw notLeading;
    for (const error of errors) this.#log.error("failed to act on an interruption; its message comes again", { error });
    // One that always fails must not hold up the others; when all do, whoever is in trouble is better left alone.
    if (errors.length > 0 && errors.length === messages.length) {
      throw new Error(`none of ${messages.length} interruptions could be acted on`);
    }
    return 0;
  }

  async #findQueue(): Promise<string> {
    const { sqs, queueName } = this.#options;
    if (this.#queueUrl === undefined) {
      this.#queueUrl = await this.#ask("sqs:GetQueueUrl", () => sqs.getQueueUrl(queueName));
      this.#log.debug("watching interruption queue");
    }
    return this.#queueUrl;
  }

  async #handle(QueueUrl: string, { Body = "", ReceiptHandle = "" }: Message): Promise<void> {
    const { sqs, telemetry } = this.#options;
    const reading = readMessage(Body);
    const type = reading === "no-op" ? "no_op" : "problem" in reading ? "malformed" : reading.kind;
    telemetry.metrics.add("interruption_received_messages_total", { message_type: type });
    if (reading !== "no-op") {
      if ("problem" in reading) this.#complain(reading, Body);
      else await this.#act(reading);
    }
    await this.#ask("sqs:DeleteMessage", () => sqs.deleteMessage({ QueueUrl, ReceiptHandle }));
    telemetry.metrics.add("interruption_deleted_messages_total", {});
  }

  async #act({ kind, instanceIds, at }: Interruption): Promise<void> {
    const { clock, telemetry } = this.#options;
    const [error] = await tryEach(instanceIds, (id) => this.#actor.act(kind, id));
    if (error !== undefined) throw error;
    if (at === undefined) return;
    const seconds = Math.max(0, clock.now() - at) / 1000;
    telemetry.metrics.observe("interruption_message_queue_duration_seconds", {}, seconds);
  }

  /** Anybody may have written it: a line shows the beginning, and of that only what cannot be taken for anything else. */
  #complain({ problem }: Problem, body: string): void {
    const piece = body.slice(0, longestPiece).replace(/[^\x20-\x7e]/g, "?");
    this.#log.error(`dropped a message that cannot be read: ${problem}`, { length: body.length, piece });
  }

  async #ask<T>(action: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      // It may be made anew under the same name.
      if (isNotFound(error)) this.#queueUrl = undefined;
      const failure = new Error(this.#explain(action, error), { cause: error });
      if (!this.#ending.signal.aborted) this.#health.observe(failure);
      throw failure;
    }
  }

  #explain(action: string, error: unknown): string {
    const { queueName, region } = this.#options;
    const queue = `interruption queue "${queueName}" in ${region}`;
    if (isNotFound(error)) {
      return `there is no ${queue}: create it with its EventBridge rules, or correct the setting INTERRUPTION_QUEUE; until then nodes are not drained before AWS takes their machines`;
    }
    const explained = explainRefusal(error, `${action} on the ${queue}`);
    return explained === error ? `${action} on the ${queue} failed: ${messageOf(error)}` : messageOf(explained);
  }
}
