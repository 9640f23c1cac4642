import type { DescribeImagesCommandInput, Image } from "@aws-sdk/client-ec2";
import type { RequirementEntry } from "../../../core/model/requirement-entries.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import type { AwsApi } from "../api/aws-api.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { ImageFinder } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import { ExpiringMap } from "../expiring-map.ts";
import type { Ec2NodeClass, ImageTerm, StatusImage } from "../node-class/ec2-node-class.ts";
import { aliasParameters, isMoving } from "./alias-parameters.ts";
import { chooseImages, type KnownRequirements } from "./choose-images.ts";
import { aliasTextOf, parseAlias, unsupportedAliasProblem } from "./image-alias.ts";
import { isImageId, queriesForTerms, queryForIds } from "./image-queries.ts";
import { ParameterValues } from "./parameter-values.ts";

export interface ImagesOptions {
  readonly api: Pick<AwsApi, "ec2" | "ssm" | "region">;
  readonly clock: Clock;
  readonly settings: Pick<AwsSettings, "amiRefreshMilliseconds">;
  readonly telemetry: Pick<Telemetry, "log">;
  /** As in "1.36". */
  readonly kubernetesVersion: () => string;
}

/** What a node class asks for is not there; its message says what to do. Trying again at once does not help. */
export class ImageNotFoundError extends Error {
  override readonly name = "ImageNotFoundError";
}

interface Search {
  readonly queries: readonly DescribeImagesCommandInput[];
  readonly known: KnownRequirements;
}

/** Finds the images of node classes, and remembers them for a while. */
export class Images implements ImageFinder {
  readonly #options: ImagesOptions;
  readonly #parameters: ParameterValues;
  readonly #found: ExpiringMap<Promise<readonly StatusImage[]>>;

  constructor(options: ImagesOptions) {
    this.#options = options;
    const { api, clock, settings } = options;
    const { amiRefreshMilliseconds: milliseconds } = settings;
    this.#found = new ExpiringMap({ clock, milliseconds });
    // Node classes share what an alias stands for, and do not keep it for as long again as they keep what it led to.
    this.#parameters = new ParameterValues({ ssm: api.ssm, clock, movingMilliseconds: milliseconds / 2 });
  }

  find(nodeClass: Ec2NodeClass): Promise<readonly StatusImage[]> {
    const version = this.#options.kubernetesVersion();
    // Another version of Kubernetes has other images, although nobody has touched the node class.
    const key = `${nodeClass.uid}-${nodeClass.generation}-${version}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const images = this.#search(nodeClass, version);
    this.#found.set(key, images);
    images.catch(() => {
      if (this.#found.get(key) === images) this.#found.delete(key);
    });
    return images;
  }

  /** Asks SSM again for what it calls the latest, where that has been withdrawn. */
  async forgetDeprecated(): Promise<void> {
    const moving = await this.#parameters.moving();
    const ids = [...new Set(moving.values())].filter(isImageId);
    if (ids.length === 0) return;
    const now = this.#options.clock.now();
    const images = await this.#describe(queryForIds(ids));
    const deprecated = new Set(
      images.flatMap((image) =>
        chooseImages([image], new Map(), now).flatMap(({ id, deprecated }) => (deprecated ? [id] : [])),
      ),
    );
    for (const [name, id] of moving) {
      if (!deprecated.has(id)) continue;
      this.#options.telemetry.log.info("image is deprecated, asking for a newer one", { parameter: name, image: id });
      this.#parameters.forgetMoving(name);
    }
  }

  async #search(nodeClass: Ec2NodeClass, version: string): Promise<readonly StatusImage[]> {
    const alias = aliasTextOf(nodeClass);
    const problem = unsupportedAliasProblem(nodeClass, version);
    if (problem !== undefined) throw new ImageNotFoundError(problem);
    const { queries, known } =
      alias === undefined
        ? await this.#searchForTerms(nodeClass.spec.amiSelectorTerms)
        : await this.#searchForAlias(alias, version);
    const images: Image[] = [];
    for (const query of queries) images.push(...(await this.#describe(query)));
    return chooseImages(images, known, this.#options.clock.now());
  }

  async #searchForAlias(text: string, version: string): Promise<Search> {
    const alias = parseAlias(text);
    if (alias === undefined) {
      throw new ImageNotFoundError(
        `alias "${text}" is not one: write family@version with al2, al2023, bottlerocket, windows2019, windows2022 or windows2025, as in al2023@latest`,
      );
    }
    const parameters = aliasParameters(alias, version);
    const known = new Map<string, readonly (readonly RequirementEntry[])[]>();
    const kind = isMoving(alias) ? "moving" : "fixed";
    // All have ended before one failure counts, so that whoever tries again does not meet the others.
    const answers = await Promise.allSettled(parameters.map(({ path }) => this.#parameters.get(path, kind)));
    for (const [index, { requirementSets }] of parameters.entries()) {
      const answer = answers[index];
      if (answer?.status === "rejected") throw answer.reason;
      const id = answer?.value;
      if (id === undefined || !isImageId(id)) continue;
      known.set(id, [...(known.get(id) ?? []), ...requirementSets]);
    }
    if (known.size === 0) {
      const [first, ...others] = parameters.map(({ path }) => path);
      const more = others.length === 0 ? "" : `, nor ${others.length} more for other machines`;
      const advice = isMoving(alias)
        ? `AWS publishes no such images for Kubernetes ${version} there: use another family, or amiSelectorTerms with an id`
        : `correct the version, or use ${text.split("@")[0]}@latest`;
      throw new ImageNotFoundError(
        `no image for alias "${text}": SSM has no parameter ${first} in ${this.#options.api.region}${more}; ${advice}`,
      );
    }
    return { queries: [queryForIds([...known.keys()])], known };
  }

  async #searchForTerms(terms: readonly ImageTerm[]): Promise<Search> {
    const ids: string[] = [];
    for (const { id, ssmParameter } of terms) {
      const found = ssmParameter === undefined ? id : await this.#parameters.get(ssmParameter, "custom");
      if (found !== undefined && isImageId(found)) ids.push(found);
      else if (ssmParameter !== undefined) {
        // What it holds may be anything, by mistake a secret too.
        const state = found === undefined ? "does not exist" : "does not hold the id of an image";
        this.#options.telemetry.log.error(`SSM parameter ${state}`, { ssmParameter });
      }
    }
    const forIds = ids.length === 0 ? [] : [queryForIds(ids)];
    return { queries: [...queriesForTerms(terms), ...forIds], known: new Map() };
  }

  async #describe(query: DescribeImagesCommandInput): Promise<readonly Image[]> {
    try {
      return await this.#options.api.ec2.describeImages(query);
    } catch (error) {
      throw explainRefusal(error, "ec2:DescribeImages");
    }
  }
}
