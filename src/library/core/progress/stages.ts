/** What a run can say that it is doing. Tools say no other words, so that none comes from a stranger's process. */
export const runStages = [
  'aligning',
  'analysing',
  'checking',
  'comparing again',
  'comparing voices',
  'converting',
  'cutting',
  'decoding',
  'denoising',
  'drawing',
  'encoding',
  'enhancing',
  'finding fillers',
  'finding speech',
  'fitting',
  'joining',
  'listening',
  'measuring',
  'placing words',
  'reading',
  'repairing',
  'restoring',
  'telling speakers apart',
  'transcribing',
  'writing',
] as const;

export type RunStage = (typeof runStages)[number];

/** What the engine says before and after the tool. */
const engineStages = ['queued', 'starting', 'done'] as const;

const said: ReadonlySet<unknown> = new Set(runStages);

/** Can a tool say this? */
export const isRunStage = (value: unknown): value is RunStage => said.has(value);
/** Can it be the stage of a run, or of a job that runs? */
export const isStage = (value: unknown): boolean =>
  isRunStage(value) || (engineStages as readonly unknown[]).includes(value);
