import { Environment } from "@marcbachmann/cel-js";
import { registerAddressFunctions } from "./address-functions.ts";
import { registerListFunctions } from "./list-functions.ts";
import { registerOptionalMacros } from "./optional-macros.ts";
import { registerQuantityFunctions } from "./quantity-functions.ts";
import { registerTextFunctions } from "./text-functions.ts";

/** CEL with the libraries of Kubernetes. Extend a clone of it. */
export const celEnvironment: Environment = createEnvironment();

function createEnvironment(): Environment {
  const environment = new Environment({ enableOptionalTypes: true });
  registerTextFunctions(environment);
  registerListFunctions(environment);
  registerAddressFunctions(environment);
  registerQuantityFunctions(environment);
  registerOptionalMacros(environment);
  return environment;
}
