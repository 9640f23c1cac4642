import type { Field } from "../field.ts";
import type { NoteLog } from "./note.ts";

const onOrOff = ["enabled", "disabled"] as const;

interface Defaults {
  readonly hopLimit: number;
  readonly tokens: "required" | "optional";
}

const ofWhole: Defaults = { hopLimit: 2, tokens: "required" };
/** Where some options were given, EC2 itself chose the others; from v1beta1 on the schema did. */
const ofParts = { alpha: { hopLimit: 1, tokens: "optional" }, beta: ofWhole } as const;

/** All options are written out, because those that are left out mean something else now. */
export function convertMetadataOptions(field: Field, era: "alpha" | "beta", notes: NoteLog): object {
  const { hopLimit, tokens } = field.isAbsent ? ofWhole : ofParts[era];
  notes.dropOthers(field, ["httpEndpoint", "httpProtocolIPv6", "httpPutResponseHopLimit", "httpTokens"], "the options");
  const written = {
    httpEndpoint: field.at("httpEndpoint").choice(onOrOff) ?? "enabled",
    httpProtocolIPv6: field.at("httpProtocolIPv6").choice(onOrOff) ?? "disabled",
    httpPutResponseHopLimit: field.at("httpPutResponseHopLimit").integer(1, 64) ?? hopLimit,
    httpTokens: field.at("httpTokens").choice(["required", "optional"]) ?? tokens,
  };
  if (field.at("httpPutResponseHopLimit").isAbsent && hopLimit === 2) {
    notes.changed(
      field,
      "had a hop limit of 2 by default, which is written out; 1, the default now, keeps pods from the machine's credentials",
    );
  }
  if (field.at("httpPutResponseHopLimit").isAbsent && hopLimit === 1) {
    notes.changed(
      field,
      "had the hop limit of EC2, 1, where it was set in part and left that out, which is written out; 2 lets pods reach the machine's credentials",
    );
  }
  if (field.at("httpTokens").isAbsent && tokens === "optional") {
    notes.changed(
      field,
      "did not require tokens when httpTokens was left out, which is written out; required is safer",
    );
  }
  return written;
}
