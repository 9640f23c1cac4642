import type { Pod } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";
import { isAdmittedUnchanged } from "./admission.ts";

interface Admission {
  readonly createdAt: number;
  readonly isUnchanged: boolean;
}

/** For so long after a pod was admitted unchanged, others of its namespace and service account are taken to be, too. */
const trustMilliseconds = 600_000;

/** What admission made of the newest pod of each namespace and service account. */
export class AccountAdmissions {
  readonly #newest = new Map<string, Admission>();

  /** A pod that was edited since it was admitted shows nothing. */
  learn(pod: Pod, workload: Workload): void {
    const account = accountOf(pod);
    if (pod.isEdited || pod.createdAt < (this.#newest.get(account)?.createdAt ?? 0)) return;
    this.#newest.set(account, { createdAt: pod.createdAt, isUnchanged: isAdmittedUnchanged(pod, workload) });
  }

  /** Whether pods of the template will be as it describes them. */
  isTrusted(template: Pod, now: number): boolean {
    const newest = this.#newest.get(accountOf(template));
    return newest?.isUnchanged === true && now - newest.createdAt <= trustMilliseconds;
  }

  /** Namespaces and service accounts come and go. */
  forgetOld(now: number): void {
    for (const [account, { createdAt }] of this.#newest)
      if (now - createdAt > trustMilliseconds) this.#newest.delete(account);
  }
}

function accountOf({ namespace, serviceAccountName }: Pod): string {
  return `${namespace}/${serviceAccountName}`;
}
