// The client side of the measurement over HTTP, in a thread of its own.
import { parentPort, workerData } from "node:worker_threads";
import { httpTransport } from "./http-transport.ts";
import { measureRates } from "./rates.ts";

const { url, count } = workerData as { url: string; count: number };
parentPort?.postMessage(await measureRates(httpTransport(url, 8), { count, parallel: 8 }));
process.exit(0);
