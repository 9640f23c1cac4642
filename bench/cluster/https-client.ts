// The client side of the measurement over HTTPS, in a thread of its own.
import { parentPort, workerData } from "node:worker_threads";
import { type Endpoint, httpsTransport } from "./https-transport.ts";
import { measureRates } from "./rates.ts";

const { endpoint, count } = workerData as { endpoint: Endpoint; count: number };
parentPort?.postMessage(await measureRates(httpsTransport(endpoint, 8), { count, parallel: 8 }));
process.exit(0);
