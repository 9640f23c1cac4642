import { isatty } from "node:tty";
import { type DestinationStream, destination, type Level, type Logger, multistream, pino } from "pino";
import type { Log, LogFields } from "../../ports/telemetry.ts";
import { LogSampler } from "./log-sampler.ts";
import { plainFields } from "./plain-fields.ts";
import { prettyLine } from "./pretty-line.ts";

export interface LogOptions {
  readonly level: "debug" | "info" | "error";
  /** Each is `stdout`, `stderr` or a file that lines are added to. */
  readonly outputPaths: readonly string[];
  /** Where it is said, in the same manner, that the log itself cannot be written. */
  readonly errorOutputPaths: readonly string[];
  /** On every line. */
  readonly commit?: string;
  /** Lines for people on outputs that are terminals. */
  readonly pretty?: boolean;
  /** Milliseconds since 1970; the machine's by default. */
  readonly now?: () => number;
  /** Told every line too, as it is written. */
  readonly onLine?: (line: string) => void;
}

export interface OpenLog extends Log {
  /** Lets go of the files. */
  close(): void;
}

/** A log of JSON lines with the keys of the Go version. Lines are written at once, so that the last words of a crash are there. */
export function createLog(options: LogOptions): OpenLog {
  const { level, commit, now = Date.now, onLine } = options;
  const outputs = openOutputs(options);
  const streams = [...outputs.map(({ stream }) => stream), ...(onLine === undefined ? [] : [{ write: onLine }])];
  const logger = pino(
    {
      level,
      base: { logger: "controller", ...(commit === undefined ? {} : { commit }) },
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    multistream(streams.map((stream) => ({ stream, level: "debug" as Level }))),
  );
  const voice = new Voice(logger, new LogSampler(now));
  return Object.assign(voice, {
    close: () => {
      for (const output of outputs) output.close();
    },
  });
}

class Voice implements Log {
  readonly #logger: Logger;
  readonly #sampler: LogSampler;

  constructor(logger: Logger, sampler: LogSampler) {
    this.#logger = logger;
    this.#sampler = sampler;
  }

  debug(message: string, fields?: LogFields): void {
    this.#say("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#say("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#say("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#say("error", message, fields);
  }

  with(fields: LogFields): Log {
    return new Voice(this.#logger.child(this.#plain(fields)), this.#sampler);
  }

  /** The message goes with the fields, so that it stands before them. */
  #say(level: Level, message: string, fields: LogFields = {}): void {
    if (!this.#logger.isLevelEnabled(level) || !this.#sampler.lets(level, message)) return;
    this.#logger[level]({ message, ...this.#plain(fields) });
  }

  #plain(fields: LogFields): Record<string, unknown> {
    return plainFields(fields, this.#logger.isLevelEnabled("debug"));
  }
}

interface Output {
  readonly stream: DestinationStream;
  close(): void;
}

const standardOutputs: Readonly<Record<string, number>> = { stdout: 1, stderr: 2 };

function openOutputs({ outputPaths, errorOutputPaths, pretty = false }: LogOptions): Output[] {
  return outputPaths.map((path) => {
    const fd = standardOutputs[path];
    const stream = open(path);
    let isBroken = false;
    stream.on("error", (error: Error) => {
      if (isBroken) return;
      isBroken = true;
      complain(errorOutputPaths, `Cannot write the log to ${path}: ${error.message}`);
    });
    const isPretty = pretty && fd !== undefined && isatty(fd);
    let isClosed = false;
    return {
      // What goes on after the end, as a request without an answer may, speaks to nobody.
      stream: { write: (line) => void (isClosed || stream.write(isPretty ? prettyLine(line) : line)) },
      close: () => {
        if (fd === undefined && !isClosed) stream.end();
        isClosed = true;
      },
    };
  });
}

/** A disk that is full must not fill memory too. */
const mostBytesKept = 8 * 1024 * 1024;

function open(path: string): ReturnType<typeof destination> {
  try {
    return destination({ dest: standardOutputs[path] ?? path, sync: true, mkdir: true, maxLength: mostBytesKept });
  } catch (error) {
    throw new Error(`Cannot open the log "${path}"`, { cause: error });
  }
}

/** Whatever happens here, there is nobody left to tell. */
function complain(paths: readonly string[], message: string): void {
  for (const path of paths) {
    const stream = open(path);
    stream.on("error", () => undefined);
    stream.write(`${message}\n`);
  }
}
