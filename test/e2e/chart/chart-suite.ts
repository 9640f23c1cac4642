import { chartFolder, crdChartFolder } from "../../chart/chart-files.ts";
import { startCluster } from "../karpenter-stage.ts";
import { type Suite, timed } from "../suite.ts";
import { Audit } from "./audit.ts";
import { tryAwsService } from "./aws-service.ts";
import { Findings } from "./findings.ts";
import { Helm } from "./helm.ts";
import { tryArchives, tryInstallation } from "./installation.ts";
import { tryMigration } from "./migration.ts";
import { checkOldValues } from "./old-values.ts";
import { checkPoolRefusals } from "./pool-refusals.ts";
import { checkRefusals } from "./refusals.ts";
import { checkRendering } from "./rendering.ts";
import { account, tellUnused, tryService } from "./service.ts";

/** The charts with the real helm: what they render, refuse and install, and the controller with the rights they give. */
export const chartSuite: Suite = {
  name: "chart",
  async run({ progress, took }) {
    const findings = new Findings();
    const helm = await Helm.open(progress);
    try {
      await timed(took, "without a cluster", () => tryWithoutCluster(helm, findings));
      progress(`linted, rendered, refused, packed: ${findings.problems.length} problems`);
      const audit = await Audit.of(account, helm.folder);
      const controlPlane = await startCluster({ apiserverFlags: audit.flags, progress });
      try {
        await timed(took, "installation", () => tryInstallation(helm, controlPlane.kubeconfigPath, findings));
        progress(`installed, changed, removed: ${findings.problems.length} problems`);
        const parts = { helm, controlPlane, audit, findings, progress, took };
        await timed(took, "migration", () => tryMigration(parts));
        await tryService(parts);
        await timed(took, "service with AWS", () => tryAwsService(parts));
        await tellUnused(audit, progress);
      } finally {
        await controlPlane.stop();
      }
    } finally {
      await helm.close();
    }
    return findings.problems;
  },
};

async function tryWithoutCluster(helm: Helm, findings: Findings): Promise<void> {
  await helm.must(["lint", "--strict", chartFolder, "--set", "settings.clusterName=lab"]);
  await helm.must(["lint", "--strict", crdChartFolder]);
  await checkRendering(helm, findings);
  await checkRefusals(helm, findings);
  await checkPoolRefusals(helm, findings);
  await checkOldValues(helm, findings);
  await tryArchives(helm, findings);
}
