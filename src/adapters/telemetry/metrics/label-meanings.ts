// What the values of labels are that many metrics share.
export const controller = "the controller, as in `provisioner`";
export const nodepool = "the NodePool";
export const zone = "the zone";
export const capacity_type = "`spot`, `on-demand` or `reserved`";
export const resource_type = "the resource, as in `cpu`";
export const name = "the name of the object";
export const namespace = "its namespace, empty for a cluster-scoped object";
export const consolidation_type = "`empty`, `multi`, `single` or empty";
export const decision = "`delete` or `replace`";
export const disruptionReason = "`drifted`, `empty` or `underutilized`";
