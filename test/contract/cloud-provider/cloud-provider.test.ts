import { KwokStage } from "../../support/kwok-stage.ts";
import { describeCloudProvider } from "./cloud-provider-contract.ts";

describeCloudProvider("KWOK", () => new KwokStage());
describeCloudProvider(
  "KWOK with machines that take a minute to boot",
  () => new KwokStage({ nodeRegistrationDelay: "1m" }),
);
