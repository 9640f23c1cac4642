import { ListenError } from "../adapters/http/serve.ts";
import { KubeConfigError } from "../adapters/kube/config-section.ts";
import { runController, SettingsError } from "../operator/run-controller.ts";
import { settingsHelp } from "../operator/settings/describe-settings.ts";
import { CliError } from "./cli-error.ts";
import { interruption } from "./interruption.ts";
import { version } from "./version.ts";

/** Runs the controller until it is interrupted. */
export async function runControllerCommand(args: readonly string[]): Promise<number> {
  if (args.some((argument) => /^--?h(elp)?$/.test(argument))) {
    process.stdout.write(settingsHelp());
    return 0;
  }
  try {
    await runController(args, process.env, { version: version(), stopped: interruption() });
    return 0;
  } catch (error) {
    const isTheirs = [SettingsError, KubeConfigError, ListenError].some((kind) => error instanceof kind);
    if (isTheirs && error instanceof Error) throw new CliError(error.message);
    throw error;
  }
}
