/** The CSI driver that has taken over from each volume plugin that used to be part of Kubernetes. */
const successors: ReadonlyMap<string, string> = new Map([
  ["kubernetes.io/aws-ebs", "ebs.csi.aws.com"],
  ["kubernetes.io/gce-pd", "pd.csi.storage.gke.io"],
  ["kubernetes.io/azure-disk", "disk.csi.azure.com"],
  ["kubernetes.io/azure-file", "file.csi.azure.com"],
  ["kubernetes.io/cinder", "cinder.csi.openstack.org"],
  ["kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"],
  ["kubernetes.io/portworx-volume", "pxd.portworx.com"],
]);

const pluginsByVolumeField: ReadonlyMap<string, string> = new Map([
  ["awsElasticBlockStore", "kubernetes.io/aws-ebs"],
  ["gcePersistentDisk", "kubernetes.io/gce-pd"],
  ["azureDisk", "kubernetes.io/azure-disk"],
  ["azureFile", "kubernetes.io/azure-file"],
  ["cinder", "kubernetes.io/cinder"],
  ["vsphereVolume", "kubernetes.io/vsphere-volume"],
  ["portworxVolume", "kubernetes.io/portworx-volume"],
]);

export function driverOfProvisioner(provisioner: string): string {
  return successors.get(provisioner) ?? provisioner;
}

/** By the fields that a volume's spec has, one of which names its old plugin; "" when none does. */
export function driverOfVolumeFields(fields: readonly string[]): string {
  for (const field of fields) {
    const plugin = pluginsByVolumeField.get(field);
    if (plugin !== undefined) return driverOfProvisioner(plugin);
  }
  return "";
}
