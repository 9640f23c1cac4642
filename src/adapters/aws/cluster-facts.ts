import type { Cluster } from "@aws-sdk/client-eks";
import type { Clock } from "../../ports/clock.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { services } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import type { AwsApi } from "./api/aws-api.ts";
import { messageOf } from "./api/aws-error.ts";
import type { AwsSettings, ClusterFacts } from "./aws-settings.ts";

export interface ClusterFactsOptions {
  readonly api: Pick<AwsApi, "eks">;
  readonly kube: Pick<KubeClient, "get">;
  readonly transport: Pick<KubeTransport, "send">;
  readonly settings: Pick<AwsSettings, "clusterName" | "clusterEndpoint" | "clusterCaBundle" | "eksControlPlane">;
  /** Base64 of the PEM that our own connection to the API server is checked with; "" when there is none. */
  readonly clientCaBundle: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const name = "providers.version";
const interval = 5 * 60_000;
const oldestMinor = 26;
const newestMinor = 36;

/** Finds out what machines have to know of their cluster, and keeps it up to date. */
export class ClusterFactsSource {
  readonly #options: ClusterFactsOptions;
  #loop: WorkLoop | undefined;
  #facts: ClusterFacts | undefined;
  #complaint = "";

  constructor(options: ClusterFactsOptions) {
    this.#options = options;
  }

  /** Only after `discover`. */
  get facts(): ClusterFacts {
    if (this.#facts === undefined) throw new Error("Nothing is known of the cluster yet");
    return this.#facts;
  }

  /** Rejects when machines could not join with what is known. */
  async discover(): Promise<void> {
    const { settings, clientCaBundle } = this.#options;
    const [endpoint, dnsAddress, version] = await Promise.all([
      this.#findEndpoint(),
      this.#findDnsAddress(),
      this.#findVersion(),
    ]);
    const caBundle = settings.clusterCaBundle || clientCaBundle;
    this.#facts = { endpoint, caBundle, dnsAddress, version, serviceCidr: this.#facts?.serviceCidr };
    this.#checkVersion(version);
  }

  /** The addresses of services, asked for once: only some images need them, and only EKS tells. */
  async resolveServiceCidr(): Promise<void> {
    if (this.facts.serviceCidr !== undefined) return;
    const { kubernetesNetworkConfig: network } = await this.#describe();
    const serviceCidr = network?.serviceIpv4Cidr || network?.serviceIpv6Cidr;
    if (serviceCidr === undefined || serviceCidr === "") {
      throw new Error(`EKS does not say which addresses the services of cluster "${this.#clusterName}" have`);
    }
    this.#facts = { ...this.facts, serviceCidr };
  }

  start(): void {
    const { clock, telemetry } = this.#options;
    this.#loop = new WorkLoop({ name, clock, telemetry, reconcile: () => this.#renew() });
    this.#loop.enqueue("", interval);
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
    this.#loop = undefined;
  }

  get #clusterName(): string {
    return this.#options.settings.clusterName;
  }

  async #renew(): Promise<number> {
    // It may not have answered, or not have been there, when we began.
    if (this.facts.dnsAddress === undefined) {
      this.#facts = { ...this.facts, dnsAddress: await this.#findDnsAddress() };
    }
    const version = await this.#findVersion();
    if (version !== this.facts.version) {
      const { log } = this.#options.telemetry;
      log.info("found another version of Kubernetes", { controller: name, before: this.facts.version, version });
      this.#facts = { ...this.facts, version };
    }
    this.#checkVersion(version);
    return interval;
  }

  async #findEndpoint(): Promise<string> {
    const { clusterEndpoint } = this.#options.settings;
    if (clusterEndpoint !== "") return clusterEndpoint;
    const advice = "set CLUSTER_ENDPOINT to the address of the API server, or let EKS tell it";
    try {
      const { endpoint = "" } = await this.#describe();
      if (endpoint !== "") return endpoint;
    } catch (error) {
      throw new Error(`Nobody knows the address of cluster "${this.#clusterName}": ${advice} (${messageOf(error)})`, {
        cause: error,
      });
    }
    throw new Error(`Cluster "${this.#clusterName}" has no address yet: ${advice}`);
  }

  /** Undefined when there is no such service: machines that bring their own do without. */
  async #findDnsAddress(): Promise<string | undefined> {
    const { kube, telemetry } = this.#options;
    try {
      const answer = await kube.get(services, { namespace: "kube-system", name: "kube-dns" });
      const service = unless([404], answer, "read Service kube-system/kube-dns");
      const { clusterIP } = (service?.spec ?? {}) as { readonly clusterIP?: string };
      return clusterIP === "" || clusterIP === "None" ? undefined : clusterIP;
    } catch (error) {
      telemetry.log.error("Cannot find the address of the DNS service; set it in kubelet.clusterDNS of node classes", {
        controller: name,
        error,
      });
      return undefined;
    }
  }

  async #findVersion(): Promise<string> {
    if (this.#options.settings.eksControlPlane) return toMinor((await this.#describe()).version ?? "");
    const { status, body } = await this.#options.transport.send({ method: "GET", path: "/version" });
    if (status >= 300) throw new Error(`Cannot read the version of Kubernetes: the API server answered ${status}`);
    const { major = "", minor = "" } = (body ?? {}) as { readonly major?: string; readonly minor?: string };
    return toMinor(`${major}.${minor}`);
  }

  async #describe(): Promise<Cluster> {
    const cluster = await this.#options.api.eks.describeCluster(this.#clusterName);
    if (cluster === undefined) throw new Error(`EKS has no cluster "${this.#clusterName}": correct CLUSTER_NAME`);
    return cluster;
  }

  /** Says once of each version that nobody has tried it. */
  #checkVersion(version: string): void {
    const minor = Number(version.split(".")[1]);
    if (version === this.#complaint || (minor >= oldestMinor && minor <= newestMinor)) return;
    this.#complaint = version;
    this.#options.telemetry.log.error(
      `Kubernetes ${version} is not supported: it has to be 1.${oldestMinor} to 1.${newestMinor}`,
      { controller: name, version },
    );
  }
}

/** As in "1.36", also of "1.36+" and "1.36.3". */
function toMinor(version: string): string {
  const [minor] = /^\d+\.\d+/.exec(version) ?? [];
  if (minor === undefined) throw new Error(`"${version}" is no version of Kubernetes`);
  return minor;
}
