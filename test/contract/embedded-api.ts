import type { ApiUnderTest } from "./recorder.ts";

export interface EmbeddedApi extends ApiUnderTest {
  stop(): Promise<void>;
}

/** The embedded API over HTTP on loopback, without controllers. */
export async function startEmbeddedApi(): Promise<EmbeddedApi | undefined> {
  return undefined;
}
