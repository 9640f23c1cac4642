import { ec2NodeClasses } from "../../../core/api/karpenter-resources.ts";

/** Of a node class itself, and of what refers to one. */
export function isEc2NodeClass({ group, kind }: { readonly group: string; readonly kind: string }): boolean {
  return group === ec2NodeClasses.group && kind === ec2NodeClasses.kind;
}
