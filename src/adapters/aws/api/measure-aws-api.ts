import type { Clock } from "../../../ports/clock.ts";
import type { Metrics } from "../../../ports/telemetry.ts";
import type { AwsApi } from "./aws-api.ts";
import { errorCodeOf } from "./aws-error.ts";

type Call = (...args: never[]) => unknown;

/** The same calls, and metrics of how they went. */
export function measureAwsApi(
  api: AwsApi,
  parts: { readonly clock: Clock; readonly metrics: Pick<Metrics, "add" | "observe"> },
): AwsApi {
  const measured = Object.entries(api).map(([service, calls]) => [
    service,
    typeof calls === "object" ? measureService(service, calls, parts) : calls,
  ]);
  return Object.fromEntries(measured) as AwsApi;
}

function measureService(
  service: string,
  calls: object,
  { clock, metrics }: { readonly clock: Clock; readonly metrics: Pick<Metrics, "add" | "observe"> },
): object {
  const measured = Object.entries(calls).map(([name, call]: [string, Call]) => {
    const operation = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const conclude = (started: number, code: string): void => {
      metrics.observe("aws_request_duration_seconds", { service, operation }, (clock.now() - started) / 1000);
      metrics.add("aws_requests_total", { service, operation, code });
    };
    return [
      name,
      (...args: never[]) => {
        const started = clock.now();
        const answer = call(...args);
        if (!(answer instanceof Promise)) return measurePages(answer as AsyncIterable<unknown>, conclude, clock);
        void answer.then(
          () => conclude(started, "OK"),
          (error: unknown) => conclude(started, errorCodeOf(error)),
        );
        return answer;
      },
    ];
  });
  return Object.fromEntries(measured) as object;
}

/** Each page is a call of its own. */
async function* measurePages<Page>(
  pages: AsyncIterable<Page>,
  conclude: (started: number, code: string) => void,
  clock: Clock,
): AsyncGenerator<Page> {
  let started = clock.now();
  try {
    for await (const page of pages) {
      conclude(started, "OK");
      yield page;
      started = clock.now();
    }
  } catch (error) {
    conclude(started, errorCodeOf(error));
    throw error;
  }
}
