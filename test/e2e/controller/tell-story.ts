import type { SuiteContext } from "../suite.ts";
import { checkCalm, type Scene, type Story } from "./scene.ts";

type Teller = Pick<SuiteContext, "progress" | "took">;

/** What is wrong with a story goes to the problems of its scene. */
export async function tellStory<Stage extends Scene>(
  story: Omit<Story, "play"> & { play(scene: Stage): Promise<void> },
  scene: Stage,
  { progress, took }: Teller,
): Promise<void> {
  const started = performance.now();
  const since = Date.now();
  const { problems } = scene;
  try {
    await scene.open();
    if (story.environment !== undefined) await scene.troupe.replace(story.environment);
    await story.play(scene);
    scene.troupe.check();
    if (!story.hasFaults) checkCalm(scene, since);
  } catch (cause) {
    scene.check(false, cause instanceof Error ? cause.message : String(cause));
  } finally {
    await scene.close();
  }
  const seconds = (performance.now() - started) / 1000;
  took(story.name, seconds);
  const sign = problems.length === 0 ? "holds" : "fails";
  progress(`${sign} ${`${seconds.toFixed(1)} s`.padStart(7)}  ${story.name}: ${story.about}`);
}
