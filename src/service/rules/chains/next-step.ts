// What a chain does next, from what its jobs have come to. Pure: the store asks in the transaction that ends a job.
import { extname } from 'node:path';
import { callsOf, givenSources, isTaken, keptSuffix, stepOptions } from '../../../library/contract/chain-calls.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { JobStatus, StepWriting } from '../jobs/stored-job.ts';
import { priceOf, roundSeconds } from '../tools/prices.ts';
import type { StoredError } from '../shared/stored-error.ts';
import type { ChainFile, ChainPlan, StoredStep } from './stored-chain.ts';

/** A job of the chain, as far as it decides what comes next. */
export interface StepRun {
  /** Index of its step, from 0. */
  readonly step: number;
  readonly status: JobStatus;
  readonly error: StoredError | null;
  readonly outputs: readonly ChainFile[];
  readonly processedSeconds: number | null;
  readonly creditsPerMinute: number;
}

/** A job to be made. */
export interface NewStepRun {
  readonly inputs: FilesByField<ChainFile>;
  readonly options: JsonObject;
  readonly writes: StepWriting;
}

export type Next =
  /** Jobs of the current step are queued or running. */
  | { readonly kind: 'wait' }
  /** The next step's jobs, in order. */
  | { readonly kind: 'run'; readonly step: number; readonly runs: readonly NewStepRun[] }
  | {
      readonly kind: 'end';
      readonly status: 'succeeded' | 'failed' | 'cancelled';
      readonly error: StoredError | null;
      readonly failedStep: string | null;
    };

const isOpen = ({ status }: StepRun): boolean => status === 'queued' || status === 'running';

/** The name by which a tool knows a file: several tracks keep theirs, one recording keeps its own through all steps. */
const nameIn = (files: readonly ChainFile[], { filename }: ChainFile): string => {
  const [first] = files;
  if (files.length !== 1 || first === undefined) return filename;
  return `${stemOf(first.filename)}${extname(filename)}`;
};

/** A file name without its extension. */
export const stemOf = (filename: string): string => filename.slice(0, filename.length - extname(filename).length);

/** @param runs all jobs of the chain, in order within a step */
export function nextOf(plan: ChainPlan, runs: readonly StepRun[]): Next {
  const { files } = plan;
  const made = givenSources<ChainFile & { readonly name: string }>(
    files.map((file) => ({ ...file, name: file.filename })),
  );
  for (const [index, step] of plan.steps.entries()) {
    const ofStep = runs.filter((run) => run.step === index);
    if (ofStep.length === 0) return begin(plan, index, (source) => made.get(source) ?? []);
    const failed = ofStep.find(({ status }) => status === 'failed');
    if (failed !== undefined) return ended('failed', step.name, failed.error);
    if (ofStep.some(({ status }) => status === 'cancelled')) return ended('cancelled', step.name);
    if (ofStep.some(isOpen)) return { kind: 'wait' };
    const outputs = ofStep.flatMap((run) => run.outputs);
    made.set(
      step.name,
      outputs.map((file) => ({ ...file, name: nameIn(files, file) })),
    );
  }
  return ended('succeeded', null);
}

const ended = (
  status: 'succeeded' | 'failed' | 'cancelled',
  failedStep: string | null,
  error: StoredError | null = null,
): Next => ({ kind: 'end', status, failedStep, error });

function begin(
  plan: ChainPlan,
  index: number,
  filesOf: (source: string) => readonly (ChainFile & { readonly name: string })[],
): Next {
  const { files } = plan;
  const step = plan.steps[index] as StoredStep;
  const [first] = files;
  const given = new Set(files.map(({ id }) => id));
  // What is kept on the way stays as it is, without a loss.
  const isResult = step.isResult && !isTaken(plan.steps, step.name);
  try {
    const runs = callsOf(step, filesOf).map((inputs): NewStepRun => {
      const takesFiles = Object.values(inputs)
        .flat()
        .some(({ id }) => given.has(id));
      return {
        inputs,
        options: stepOptions(plan.format, { ...step, isResult }, step.choices, takesFiles) as JsonObject,
        writes: {
          form: step.writesText ? null : isResult ? { like: first?.id ?? '', format: plan.format } : 'working',
          formats: step.formats,
          inputsAs: files.length === 1 && first !== undefined ? stemOf(first.filename) : null,
        },
      };
    });
    return { kind: 'run', step: index, runs };
  } catch (thrown) {
    const { code, message } = EarshotError.from(thrown);
    return ended('failed', step.name, { code, message });
  }
}

/** Indices of the steps whose jobs have all succeeded. */
function finishedSteps(plan: ChainPlan, runs: readonly StepRun[]): number[] {
  return plan.steps.flatMap((_, index) => {
    const ofStep = runs.filter((run) => run.step === index);
    return ofStep.length > 0 && ofStep.every(({ status }) => status === 'succeeded') ? [index] : [];
  });
}

/** Files between steps that no later step takes any more. */
export function unneeded(plan: ChainPlan, runs: readonly StepRun[]): readonly string[] {
  const done = new Set(finishedSteps(plan, runs));
  const needed = new Set(
    plan.steps.flatMap(({ sources }, index) => (done.has(index) ? [] : Object.values(sources).flat())),
  );
  return plan.steps.flatMap(({ name, isResult }, index) =>
    isResult || needed.has(name) || !done.has(index) ? [] : outputsOf(runs, index),
  );
}

const outputsOf = (runs: readonly StepRun[], index: number): string[] =>
  runs.filter(({ step }) => step === index).flatMap(({ outputs }) => outputs.map(({ id }) => id));

/** What a chain has made when it ends. */
export interface Delivery {
  /** Ids of the files that become the account's, the sound first. */
  readonly files: readonly string[];
  /** Of them those that are results of the chain, with what follows its name in theirs: "", "-clean-2". */
  readonly results: ReadonlyMap<string, string>;
  /** The price of the finished steps by what they processed. */
  readonly credits: number;
}

/**
 * What the finished steps have made. Of a chain that ended early these are also the files that the step was to work on
 * at which it ended.
 */
export function deliveryOf(plan: ChainPlan, runs: readonly StepRun[]): Delivery {
  const done = finishedSteps(plan, runs);
  const gone = new Set(unneeded(plan, runs));
  // The sound, which was made last, comes first.
  const ordered = done
    .toReversed()
    .toSorted((a, b) => Number(plan.steps[a]?.writesText) - Number(plan.steps[b]?.writesText));
  const credits = runs
    .filter(({ step }) => done.includes(step))
    .reduce(
      (sum, { processedSeconds, creditsPerMinute }) =>
        sum + priceOf(roundSeconds(processedSeconds ?? 0), creditsPerMinute),
      0,
    );
  const isResult = (index: number): boolean => plan.steps[index]?.isResult === true;
  return {
    files: ordered.flatMap((index) => outputsOf(runs, index)).filter((id) => !gone.has(id)),
    results: new Map(
      ordered.filter(isResult).flatMap((index) => {
        const ids = outputsOf(runs, index);
        const part = keptSuffix(plan.steps[index] as StoredStep, plan.steps, ({ writesText }) => writesText);
        const suffix = (at: number): string => (part === '' || ids.length === 1 ? part : `${part}-${at + 1}`);
        return ids.map((id, at): [string, string] => [id, suffix(at)]);
      }),
    ),
    credits,
  };
}

/** The credits per minute of a run with these inputs. */
export const rateOf = ({ rate, ratesWith }: StoredStep, inputs: FilesByField<unknown>): number =>
  Object.entries(ratesWith).find(([field]) => (inputs[field]?.length ?? 0) > 0)?.[1] ?? rate;

/** The lengths of a run's media files, in the order of its tool's fields. */
export const lengthsOf = (
  { inputs: roles }: StoredStep,
  inputs: FilesByField<Pick<ChainFile, 'durationSeconds'>>,
): readonly number[] =>
  Object.entries(roles).flatMap(([field, { kind }]) =>
    kind === 'media' ? (inputs[field] ?? []).map(({ durationSeconds }) => durationSeconds ?? 0) : [],
  );
