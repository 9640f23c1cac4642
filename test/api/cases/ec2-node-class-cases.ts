import { ec2NodeClassDefinition } from "../../../src/core/api/definitions/ec2-node-class.ts";
import { type AdmissionCase, casesOf } from "../admission-case.ts";
import { ec2SelectorCases } from "./ec2-selector-cases.ts";

const { takes, refuses, refusesChange } = casesOf(ec2NodeClassDefinition);

const terms = {
  subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "web" } }],
  securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "web" } }],
  amiSelectorTerms: [{ alias: "al2023@latest" }],
};
/** With these in the spec. */
const nodeClass = (spec: object = {}) => ({ spec: { ...terms, role: "nodes", ...spec } });
const { role: _, ...withoutRole } = nodeClass().spec;
const without = (field: keyof typeof terms) => {
  const { [field]: _left, ...rest } = nodeClass().spec;
  return { spec: rest };
};

const identityCases: readonly AdmissionCase[] = [
  takes("next to nothing", nodeClass()),
  { ...refuses("no spec", {}, "spec: Required value"), unlikeUpstream: "it is of no use to anybody" },
  takes("an instance profile", { spec: { ...withoutRole, instanceProfile: "nodes" } }),
  refuses("neither role nor profile", { spec: withoutRole }, "set role or instanceProfile, and not both"),
  refuses("role and profile", nodeClass({ instanceProfile: "nodes" }), "set role or instanceProfile, and not both"),
  refuses("an empty role", nodeClass({ role: "" }), "name an IAM role"),
  refuses("an empty profile", { spec: { ...withoutRole, instanceProfile: "" } }, "name an instance profile"),
  takes("another role than before", nodeClass({ role: "b" }), nodeClass({ role: "a" })),
  takes("a profile after a role", { spec: { ...withoutRole, instanceProfile: "b" } }, nodeClass()),
  refusesChange(
    "a role beside a profile that was there",
    { from: { spec: { ...withoutRole, instanceProfile: "b" } }, to: nodeClass({ instanceProfile: "b" }) },
    "set role or instanceProfile, and not both",
  ),
  ...(["subnetSelectorTerms", "securityGroupSelectorTerms", "amiSelectorTerms"] as const).map((field) =>
    refuses(`no ${field}`, without(field), `${field}: Required value`),
  ),
];

const families = ["AL2", "AL2023", "Bottlerocket", "Windows2019", "Windows2022", "Windows2025"];
const otherFamily = "the alias is of another family";

const familyCases: readonly AdmissionCase[] = [
  ...families.flatMap((amiFamily) => {
    const amiSelectorTerms = [{ alias: `${amiFamily.toLowerCase()}@latest` }];
    const other = amiFamily === "AL2" ? "AL2023" : "AL2";
    return [
      takes(`${amiFamily} and its alias`, nodeClass({ amiFamily, amiSelectorTerms })),
      takes(`Custom and the alias of ${amiFamily}`, nodeClass({ amiFamily: "Custom", amiSelectorTerms })),
      refuses(`${other} and the alias of ${amiFamily}`, nodeClass({ amiFamily: other, amiSelectorTerms }), otherFamily),
      takes(`${amiFamily} without an alias`, nodeClass({ amiFamily, amiSelectorTerms: [{ id: "ami-1" }] })),
    ];
  }),
  takes("Custom without an alias", nodeClass({ amiFamily: "Custom", amiSelectorTerms: [{ id: "ami-1" }] })),
  refuses("neither family nor alias", nodeClass({ amiSelectorTerms: [{ id: "ami-1" }] }), "set amiFamily"),
  refuses("a family nobody knows", nodeClass({ amiFamily: "Ubuntu" }), "Unsupported value"),
];

const ownTag = "Karpenter finds its machines by the tag";

const tagCases: readonly AdmissionCase[] = [
  takes("tags", nodeClass({ tags: { team: "web", empty: "", Name: "a", "kubernetes.io/other": "b" } })),
  refuses("a tag without a key", nodeClass({ tags: { "": "a" } }), "a tag without a key"),
  ...["eks:eks-cluster-name", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim", "karpenter.k8s.aws/ec2nodeclass"].map(
    (tag) => refuses(`the tag ${tag}`, nodeClass({ tags: { [tag]: "a" } }), ownTag),
  ),
  {
    ...refuses("the tag of the hash", nodeClass({ tags: { "karpenter.k8s.aws/ec2nodeclass-hash": "a" } }), ownTag),
    unlikeUpstream: "the Go version writes no such tag",
  },
  {
    ...refuses(
      "a tag that names claims",
      nodeClass({ tags: { "karpenter.k8s.aws/nodeclaims-5": "a" } }),
      "Karpenter names the claims of a machine",
    ),
    unlikeUpstream: "the Go version writes no such tag",
  },
  ...["kubernetes.io/cluster/web", "kubernetes.io/cluster"].map((tag) =>
    refuses(`the tag ${tag}`, nodeClass({ tags: { [tag]: "owned" } }), "Karpenter sets the tag kubernetes.io/cluster/"),
  ),
  {
    ...refuses("a tag of 257 letters", nodeClass({ tags: { a: "x".repeat(257) } }), "Too long"),
    unlikeUpstream: "AWS takes no tag so long",
  },
];

const volumes = (...ebs: readonly object[]) =>
  nodeClass({ blockDeviceMappings: ebs.map((volume) => ({ deviceName: "/dev/xvda", ebs: volume })) });
const sized = (volumeSize: string) => volumes({ volumeSize });
const size = "write a whole size from 1Gi to 59000Gi";
const sloppy = "the pattern of the Go version has gaps";
const rooted = (...flags: readonly boolean[]) =>
  nodeClass({ blockDeviceMappings: flags.map((rootVolume) => ({ rootVolume, ebs: { volumeSize: "1Gi" } })) });

const volumeCases: readonly AdmissionCase[] = [
  ...["1Gi", "59000Gi", "9999Gi", "10000Gi", "1G", "64000G", "1Ti", "57Ti", "58Ti", "1T", "10T", "59T", "64T"].map(
    (text) => takes(`a volume of ${text}`, sized(text)),
  ),
  ...["18Ti", "29Ti", "48Ti"].map((text) => ({
    ...takes(`a volume of ${text}`, sized(text)),
    unlikeUpstream: sloppy,
  })),
  ...["0Gi", "59001Gi", "60000Gi", "64001G", "59Ti", "65T", "1.5Gi", "1Mi", "10", "", " 1Gi", "1Gi\n", "-1Gi"].map(
    (text) => refuses(`a volume of ${JSON.stringify(text)}`, sized(text), size),
  ),
  ...["Ti", "T"].map((text) => ({ ...refuses(`a volume of ${text}`, sized(text), size), unlikeUpstream: sloppy })),
  refuses("a number for a size", volumes({ volumeSize: 100 }), "must be of type string"),
  takes("a volume of all that there is", {
    spec: {
      ...nodeClass().spec,
      blockDeviceMappings: [
        {
          deviceName: "/dev/xvda",
          rootVolume: true,
          ebs: {
            deleteOnTermination: true,
            encrypted: true,
            iops: 4000,
            kmsKeyID: "alias/a",
            snapshotID: "snap-1",
            throughput: 250,
            volumeInitializationRate: 100,
            volumeSize: "100Gi",
            volumeType: "gp3",
          },
        },
      ],
    },
  }),
  takes("a volume by its name only", nodeClass({ blockDeviceMappings: [{ deviceName: "/dev/xvda" }] })),
  refuses("a volume of no size", volumes({ volumeType: "gp3" }), "set volumeSize or snapshotID"),
  refuses("a type of volume nobody knows", volumes({ volumeSize: "1Gi", volumeType: "gp4" }), "Unsupported value"),
  ...[99, 301].map((volumeInitializationRate) =>
    refuses(
      `a snapshot copied at ${volumeInitializationRate}`,
      volumes({ snapshotID: "snap-1", volumeInitializationRate }),
      "volumeInitializationRate in body should be",
    ),
  ),
  refuses(
    "a rate without a snapshot",
    volumes({ volumeSize: "1Gi", volumeInitializationRate: 100 }),
    "only a copy of a snapshot",
  ),
  refuses(
    "a rate with an empty snapshot",
    volumes({ volumeSize: "1Gi", snapshotID: "", volumeInitializationRate: 100 }),
    "only a copy of a snapshot",
  ),
  takes("one root among two volumes", rooted(true, false)),
  takes("no root among two volumes", rooted(false, false)),
  refuses("two roots", rooted(true, true), "set rootVolume on one of them only"),
];

const wired = (...interfaces: readonly (readonly [number, number, string])[]) =>
  nodeClass({
    networkInterfaces: interfaces.map(([networkCardIndex, deviceIndex, interfaceType]) => ({
      networkCardIndex,
      deviceIndex,
      interfaceType,
    })),
  });
const primary = [0, 0, "interface"] as const;

const networkCases: readonly AdmissionCase[] = [
  takes("no network interfaces", wired()),
  takes("a primary interface", wired(primary)),
  takes("EFA on two cards", wired(primary, [0, 1, "efa-only"], [1, 0, "efa-only"], [1, 1, "interface"])),
  refuses("no primary interface", wired([0, 1, "interface"]), "every machine has a primary interface"),
  refuses("a primary interface for EFA alone", wired([0, 0, "efa-only"]), "every machine has a primary interface"),
  refuses("two interfaces at one place", wired(primary, primary), "two interfaces have the same place"),
  refuses("two for EFA on one card", wired(primary, [0, 1, "efa-only"], [0, 2, "efa-only"]), "a network card has one"),
  refuses("an interface of another type", wired(primary, [0, 1, "efa"]), "Unsupported value"),
  refuses("an interface on card -1", wired(primary, [-1, 1, "interface"]), "should be greater than or equal to 0"),
  refuses("an interface without a card", nodeClass({ networkInterfaces: [{ deviceIndex: 0 }] }), "Required value"),
  ...[
    { tcpEstablishedTimeout: 60 },
    { tcpEstablishedTimeout: 432_000 },
    { udpStreamTimeout: 60 },
    { udpStreamTimeout: 180 },
    { udpTimeout: 30 },
    { udpTimeout: 60 },
  ].map((connectionTracking) => takes(JSON.stringify(connectionTracking), nodeClass({ connectionTracking }))),
  ...[
    { tcpEstablishedTimeout: 59 },
    { tcpEstablishedTimeout: 432_001 },
    { udpStreamTimeout: 59 },
    { udpStreamTimeout: 181 },
    { udpTimeout: 29 },
    { udpTimeout: 61 },
  ].map((connectionTracking) =>
    refuses(JSON.stringify(connectionTracking), nodeClass({ connectionTracking }), "in body should be"),
  ),
  refuses("no timeout at all", nodeClass({ connectionTracking: {} }), "set at least one of the timeouts"),
  takes("0 prefixes", nodeClass({ ipPrefixCount: 0 })),
  refuses("-1 prefixes", nodeClass({ ipPrefixCount: -1 }), "should be greater than or equal to 0"),
];

const metadataCases: readonly AdmissionCase[] = [
  takes("metadata options of nothing", nodeClass({ metadataOptions: {} })),
  takes("metadata options of one", nodeClass({ metadataOptions: { httpTokens: "optional" } })),
  ...["httpEndpoint", "httpProtocolIPv6", "httpTokens"].map((field) =>
    refuses(`${field} on`, nodeClass({ metadataOptions: { [field]: "on" } }), "Unsupported value"),
  ),
  ...[1, 64].map((hops) => takes(`${hops} hops`, nodeClass({ metadataOptions: { httpPutResponseHopLimit: hops } }))),
  ...[0, 65].map((hops) =>
    refuses(`${hops} hops`, nodeClass({ metadataOptions: { httpPutResponseHopLimit: hops } }), "in body should be"),
  ),
];

const restCases: readonly AdmissionCase[] = [
  takes("kubelet settings", nodeClass({ kubelet: { maxPods: 42, kubeReserved: { cpu: "100m" } } })),
  ...[{ maxPods: "min(110, max_pods)" }, { whatever: [1, { a: null }] }, { evictionSoft: { a: "b" } }].map(
    (kubelet) => ({
      ...takes(`kubelet settings ${JSON.stringify(kubelet)}`, nodeClass({ kubelet })),
      unlikeUpstream: "the kubelet's own fields are all possible, and are judged by the controller",
    }),
  ),
  refuses("a list for kubelet settings", nodeClass({ kubelet: [] }), "must be of type object"),
  takes("an instance store policy", nodeClass({ instanceStorePolicy: "RAID0" })),
  refuses("another instance store policy", nodeClass({ instanceStorePolicy: "RAID1" }), "Unsupported value"),
  takes(
    "flags and texts",
    nodeClass({ associatePublicIPAddress: false, detailedMonitoring: true, context: "a", userData: "#!/bin/sh\n" }),
  ),
  refuses("a word for a flag", nodeClass({ detailedMonitoring: "true" }), "must be of type boolean"),
  takes("nested virtualization", nodeClass({ cpuOptions: { nestedVirtualization: "enabled" } })),
  refuses("nested virtualization on", nodeClass({ cpuOptions: { nestedVirtualization: "on" } }), "Unsupported value"),
];

export const ec2NodeClassCases: readonly AdmissionCase[] = [
  ...identityCases,
  ...familyCases,
  ...ec2SelectorCases(nodeClass),
  ...tagCases,
  ...volumeCases,
  ...networkCases,
  ...metadataCases,
  ...restCases,
];
