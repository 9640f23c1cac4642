import { parseQuantity, wholeValue } from "../../model/quantity.ts";
import type { Field } from "../field.ts";
import type { NoteLog } from "./note.ts";

const mappingFields = ["deviceName", "ebs", "rootVolume", "virtualName"];
const volumeTypes = ["standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"] as const;
const volumeFields = [
  "deleteOnTermination",
  "encrypted",
  "iops",
  "kmsKeyID",
  "snapshotID",
  "throughput",
  "volumeSize",
  "volumeType",
];

/** `blockDeviceMappings` of a node class; undefined when there are none. */
export function convertBlockDevices(field: Field, notes: NoteLog): object[] | undefined {
  if (field.isAbsent) return undefined;
  return field.items(50).map((item) => {
    notes.dropOthers(item, mappingFields, "a block device mapping");
    const virtualName = item.at("virtualName");
    if (!virtualName.isAbsent) {
      notes.dropped(virtualName, "is left out: disks of the machine are set up with instanceStorePolicy now");
    }
    return compact({
      deviceName: item.at("deviceName").text(),
      rootVolume: optionalFlag(item.at("rootVolume")),
      ebs: item.at("ebs").isAbsent ? undefined : convertVolume(item.at("ebs"), notes),
    });
  });
}

function convertVolume(ebs: Field, notes: NoteLog): object {
  notes.dropOthers(ebs, volumeFields, "a volume");
  return compact({
    deleteOnTermination: optionalFlag(ebs.at("deleteOnTermination")),
    encrypted: optionalFlag(ebs.at("encrypted")),
    iops: ebs.at("iops").integer(0, Number.MAX_SAFE_INTEGER),
    kmsKeyID: ebs.at("kmsKeyID").text(),
    snapshotID: ebs.at("snapshotID").text(),
    throughput: ebs.at("throughput").integer(0, Number.MAX_SAFE_INTEGER),
    volumeSize: convertSize(ebs.at("volumeSize"), notes),
    volumeType: ebs.at("volumeType").choice(volumeTypes),
  });
}

const gibi = 2 ** 30;
const giga = 10 ** 9;

/** Sizes were any quantity, and are a number of G, Gi, T or Ti now. */
function convertSize(field: Field, notes: NoteLog): string | undefined {
  const { value } = field;
  if (value === undefined) return undefined;
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (/^\d{1,5}(Gi|G|Ti|T)$/.test(text)) return text;
  const quantity = parseQuantity(text);
  const bytes = quantity === undefined ? 0 : wholeValue(quantity);
  if (bytes < giga || bytes > 64_000 * giga) {
    field.reject('must be a size from 1G to 64T such as "100Gi"');
    return undefined;
  }
  const size = bytes % giga === 0 && bytes % gibi !== 0 ? `${bytes / giga}G` : `${Math.ceil(bytes / gibi)}Gi`;
  notes.changed(field, `${text} is written ${size} now`);
  return size;
}

export function optionalFlag(field: Field): boolean | undefined {
  return field.isAbsent ? undefined : field.flag();
}

/** Without the fields that are undefined. */
export function compact(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
