import type { ApiAnswer, ApiRequest } from "../api/api-request.ts";

/** What becomes of a request on its way to the server and back. */
export interface Exchange {
  /** Absent when the connection breaks before there is an answer. */
  readonly answer: ApiAnswer | undefined;
  /** The connection breaks after so many characters of the answer. */
  readonly dropsAfter?: number;
}

/** Takes a request to the server, through whatever lies between. */
export type Serve = (request: ApiRequest) => Promise<Exchange>;
