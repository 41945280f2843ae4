// Runs a chain: every step is a run of the engine. Between steps sound is 32-bit float without loss; only the chain's
// results are encoded, so the result is that of single runs over lossless files, bit for bit.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import {
  callsOf,
  chainFiles,
  formatChoices,
  givenSources,
  isTaken,
  keptSuffix,
  ofStep,
  ofWorkingForm,
  requireGiven,
  stepOptions,
} from '../../contract/chain-calls.ts';
import type { FilesByField } from '../../contract/tool-inputs.ts';
import { isAbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { machineLacks } from '../../core/errors/machine-lacks.ts';
import { renameFile } from '../../core/files/rename-file.ts';
import { createProgressMeter, type OnProgress, type Warning } from '../../core/progress/progress.ts';
import type { Engine, UntypedEngine } from '../engine/engine-types.ts';
import {
  makeWorkFolder,
  type OutputFile,
  publish,
  removeStaleWorkFolders,
  removeWorkFolder,
  workPartOf,
} from '../files/work-folder.ts';
import { type Chain, planChain, type PlannedChain, type PlannedStep } from './chain.ts';
import { requirePictures } from './forms.ts';
import type { ChainedStep, ChainOptions, ChainOutput, ChainRun } from './chain-run.ts';
import { type Place, placeOf } from './chain-place.ts';
import { identityOf, type KeptSteps, openKeptSteps, type StepRun } from './kept-steps.ts';

/** The files of a step that are results. */
interface Finished {
  readonly step: string;
  readonly isText: boolean;
  readonly outputs: readonly OutputFile[];
  /** In their names, behind that of the chain. */
  readonly suffix: string;
}

interface Made {
  readonly path: string;
  /** As users know it. */
  readonly name: string;
}

/**
 * Runs a chain of tools over files. Files between the steps are removed; results are put in place when all steps have
 * succeeded.
 * @param engine which does each step, as a run of its own
 * @param chain see docs/chains.md
 * @param files paths, in order
 * @throws EarshotError bad_request for a chain, files and options that do not fit; conflict; errors of the tools, which
 *   name the step; AbortError
 */
export async function runChain(
  engine: Engine,
  chain: Chain,
  files: readonly string[],
  options: ChainOptions = {},
): Promise<ChainRun> {
  const planned = planChain(chain);
  const [first] = files;
  if (first === undefined)
    throw new EarshotError('bad_request', 'Expected at least one file but received none', {
      details: { field: 'files', expected: 'at least one', received: 'none' },
    });
  requireGiven(planned.steps, files.length);
  await requirePictures(planned.steps, files);
  const place = await placeOf(planned, files, first, options);
  const kept = await keptSteps(chain, files, place, options);
  let between: string | null = null;
  let finished: string | null = null;
  try {
    between = kept === null ? await makeWorkFolder(options.tempDir ?? tmpdir()) : null;
    // Beside the results, so that putting them there is a rename.
    finished = await makeWorkFolder(place.folder);
    if (kept !== null) await removeStaleWorkFolders(place.folder);
    const folders = { between: kept?.folder ?? between ?? '', finished: workPartOf(finished) };
    const done = await new RunningChain(engine, planned, files, place, folders, kept, options).run();
    await kept?.remove();
    return done;
  } catch (thrown) {
    await (mayGoOn(thrown) ? kept?.leave() : kept?.remove());
    throw thrown;
  } finally {
    for (const folder of [between, finished]) if (folder !== null) await removeWorkFolder(folder);
  }
}

async function keptSteps(
  chain: Chain,
  files: readonly string[],
  { stem, format, textFormat }: Place,
  { checkpoint, identity }: ChainOptions,
): Promise<KeptSteps | null> {
  if (checkpoint === undefined) return null;
  return openKeptSteps(checkpoint, identity ?? (await identityOf(chain, files, { stem, format, textFormat })));
}

/** Is it not the fault of the chain or its files? */
function mayGoOn(thrown: unknown): boolean {
  if (isAbortError(thrown)) return true;
  const error = EarshotError.from(thrown);
  return error.retryable || machineLacks(error) !== null;
}

interface Folders {
  /** Of files between steps; where everything is kept, of results too. */
  readonly between: string;
  /** On the disk of the results. */
  readonly finished: string;
}

class RunningChain {
  private readonly engine: UntypedEngine;
  private readonly chain: PlannedChain;
  private readonly files: readonly string[];
  private readonly place: Place;
  private readonly folders: Folders;
  private readonly kept: KeptSteps | null;
  private readonly options: ChainOptions;
  private readonly made: Map<string, readonly Made[]>;
  private readonly warnings: Warning[] = [];
  private readonly stop = new AbortController();
  private passed: ReadonlySet<string> = new Set();
  private readonly signal: AbortSignal;

  constructor(
    engine: UntypedEngine,
    chain: PlannedChain,
    files: readonly string[],
    place: Place,
    folders: Folders,
    kept: KeptSteps | null,
    options: ChainOptions,
  ) {
    this.engine = engine;
    this.chain = chain;
    this.files = files;
    this.place = place;
    this.folders = folders;
    this.kept = kept;
    this.options = options;
    this.signal = options.signal === undefined ? this.stop.signal : AbortSignal.any([options.signal, this.stop.signal]);
    this.made = givenSources(files.map((path) => ({ path: resolve(path), name: basename(path) })));
  }

  async run(): Promise<ChainRun> {
    const { steps } = this.chain;
    const done: ChainedStep[] = [];
    const results: Finished[] = [];
    const report = this.progress();
    await this.passOver();
    for (const [at, step] of steps.entries()) {
      const { outputs, ...ran } = await this.runStep(step, (fraction, stage) => report(at, fraction, stage));
      done.push(ran);
      if (step.isResult)
        results.push({
          step: step.name,
          isText: step.tool.writesText === true,
          outputs,
          suffix: keptSuffix(step, steps, ({ tool }) => tool.writesText === true),
        });
      await this.forget(at);
    }
    // The sound, which was made last, comes first.
    const ordered = results.toReversed().toSorted((a, b) => Number(a.isText) - Number(b.isText));
    const outputs: ChainOutput[] = [];
    for (const { step, outputs: files, suffix } of ordered)
      outputs.push(...(await this.publish(files, suffix)).map((file) => ({ ...file, step })));
    report(steps.length, 0, 'done');
    return { chain: this.chain.name, outputs, steps: done, doneBefore: this.doneBefore(), warnings: this.warnings };
  }

  private doneBefore(): readonly string[] {
    return this.chain.steps.map(({ name }) => name).filter((name) => this.passed.has(name));
  }

  /** Progress of the whole: each step weighs what its tool costs a second of sound. */
  private progress(): (step: number, fraction: number, stage: string) => void {
    const meter = createProgressMeter();
    const weights = this.chain.steps.map(({ tool }) => Math.max(0.001, tool.work.cpuPerSecond));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    return (step, fraction, stage) => {
      const before = weights.slice(0, step).reduce((sum, weight) => sum + weight, 0);
      this.options.onProgress?.(meter((before + fraction * (weights[step] ?? 0)) / all, stage));
    };
  }

  private async runStep(
    step: PlannedStep,
    report: (fraction: number, stage: string) => void,
  ): Promise<ChainedStep & { readonly outputs: readonly OutputFile[] }> {
    const calls = this.callsOf(step);
    const fractions = calls.map(() => 0);
    const failures: unknown[] = [];
    const runs = calls.map((inputs, at) =>
      this.runCall(step, inputs, at, ({ progress, stage }) => {
        fractions[at] = progress;
        report(fractions.reduce((sum, each) => sum + each, 0) / fractions.length, `${step.name}: ${stage}`);
      }).catch((thrown: unknown) => {
        failures.push(thrown);
        this.stop.abort();
        throw thrown;
      }),
    );
    await Promise.allSettled(runs);
    if (failures.length > 0) throw ofStep(step.name, failures[0]);
    const ran = await Promise.all(runs);
    const outputs = ran.flatMap((each) => each.outputs);
    this.made.set(
      step.name,
      outputs.map(({ path, filename }) => ({ path, name: this.shownName(path, filename) })),
    );
    return {
      name: step.name,
      tool: step.tool.id,
      results: ran.map(({ result }) => result),
      processedSeconds: ran.reduce((sum, { processedSeconds }) => sum + processedSeconds, 0),
      outputs,
    };
  }

  private callsOf(step: PlannedStep): readonly FilesByField<Made>[] {
    return callsOf(
      { name: step.name, inputs: step.tool.inputs, sources: step.sources },
      (source) => this.made.get(source) ?? [],
    );
  }

  /** One of a step's runs, where no earlier run of the chain did it. */
  private async runCall(
    step: PlannedStep,
    inputs: FilesByField<Made>,
    at: number,
    onProgress: OnProgress,
  ): Promise<StepRun> {
    const { kept } = this;
    const { name, isResult } = step;
    const before = kept?.done(name, at) ?? null;
    if (before !== null && (this.passed.has(name) || (await kept?.hasFiles(before)) === true)) {
      for (const { code, message } of before.warnings) this.warn(step, { code, message });
      return before;
    }
    const outputDir = join(
      isResult && kept === null ? this.folders.finished : this.folders.between,
      `${name}-${at + 1}`,
    );
    // What a killed run left.
    if (kept !== null) await rm(outputDir, { recursive: true, force: true });
    const { outputs, result, processedSeconds, warnings } = await this.engine.run(
      step.tool.id,
      inputs,
      this.optionsOf(step, inputs),
      {
        ...this.controlOf(step),
        outputDir,
        onProgress,
        onWarning: (warning) => this.warn(step, warning),
        ...(kept === null
          ? {}
          : { finishedParts: kept.parts(name, at), onFinishedPart: (part) => kept.addPart(name, at, part) }),
      },
    );
    const did = { of: this.callsOf(step).length, outputs, result, processedSeconds, warnings };
    await kept?.add(name, at, did);
    return did;
  }

  /** Which steps an earlier run did so that this one needs neither them nor their files again. */
  private async passOver(): Promise<void> {
    const { kept } = this;
    if (kept === null) return;
    const { steps } = this.chain;
    const passed = new Set<string>();
    for (const step of steps.toReversed()) {
      const runs = kept.all(step.name);
      if (runs === null) continue;
      const takers = steps.filter(({ sources }) => Object.values(sources).flat().includes(step.name));
      const isGone = !step.isResult && takers.every(({ name }) => passed.has(name));
      const hasFiles = await Promise.all(runs.map((run) => kept.hasFiles(run)));
      if (isGone || hasFiles.every((has) => has)) passed.add(step.name);
    }
    this.passed = passed;
    if (passed.size > 0) this.options.onGoOn?.(this.doneBefore());
  }

  /** Outputs are named after the first file, whatever the steps before have added. */
  private shownName(path: string, filename: string): string {
    const several = this.files.length > 1;
    const [first = ''] = this.files;
    return several ? filename : `${basename(first, extname(first))}${extname(path)}`;
  }

  private controlOf(step: PlannedStep): Parameters<UntypedEngine['run']>[3] {
    const { signal } = this;
    if (step.tool.writesText === true) {
      const { textFormat } = this.place;
      const formats = step.formats ?? (textFormat !== null && step.isResult ? [textFormat] : null);
      return { signal, ...(formats === null || step.tool.formats === undefined ? {} : { formats }) };
    }
    if (!this.isLast(step)) return { signal, form: 'working' };
    const [first = ''] = this.files;
    return { signal, form: { like: resolve(first), format: this.place.format } };
  }

  private optionsOf(step: PlannedStep, inputs: FilesByField<Made>): object {
    const given = new Set(this.made.get(chainFiles)?.map(({ path }) => path));
    const takesFiles = Object.values(inputs)
      .flat()
      .some(({ path }) => given.has(path));
    const isResult = this.isLast(step);
    return stepOptions(this.place.format, { ...step, isResult }, formatChoices(step.tool.options), takesFiles);
  }

  /** Is it a result that no step takes? What is kept on the way has the form of files between steps. */
  private isLast({ name, isResult }: PlannedStep): boolean {
    return isResult && !isTaken(this.chain.steps, name);
  }

  private warn(step: PlannedStep, { code, message }: Warning): void {
    if (!this.isLast(step) && ofWorkingForm.includes(code)) return;
    const warning = { code, message: `${step.name}: ${message}` };
    this.warnings.push(warning);
    this.options.onWarning?.(warning);
  }

  /** Removes files between steps that no later step takes. */
  private async forget(at: number): Promise<void> {
    const later = new Set(this.chain.steps.slice(at + 1).flatMap(({ sources }) => Object.values(sources).flat()));
    for (const step of this.chain.steps.slice(0, at + 1)) {
      if (step.isResult || later.has(step.name)) continue;
      for (const { path } of this.made.get(step.name) ?? []) await rm(path, { force: true });
      this.made.delete(step.name);
    }
  }

  private async publish(given: readonly OutputFile[], suffix: string): Promise<OutputFile[]> {
    const { folder, stem } = this.place;
    const files: OutputFile[] = [];
    for (const file of given) files.push(this.kept === null ? file : await this.bring(file));
    const { overwrite = false } = this.options;
    const numbered = suffix !== '' && files.length > 1;
    const named = files.map(({ role: told, ...file }, at) => {
      // The format of a text is in its extension already.
      const role = told === file.format ? null : told;
      const number = numbered ? `-${at + 1}` : '';
      return {
        ...file,
        ...(role === null ? {} : { role }),
        filename: `${stem}${suffix}${number}${role === null ? '' : `-${role}`}${extname(file.path)}`,
      };
    });
    return publish(named, this.folders.finished, { outputDir: folder, overwrite }, this.files, this.signal);
  }

  /** Of a kept folder, which may be on another disk. */
  private async bring(file: OutputFile): Promise<OutputFile> {
    const path = join(await mkdtemp(join(this.folders.finished, 'of-')), basename(file.path));
    await renameFile(file.path, path).catch(async (thrown: unknown) => {
      if ((thrown as NodeJS.ErrnoException).code !== 'EXDEV') throw thrown;
      await copyFile(file.path, path);
    });
    return { ...file, path };
  }
}
