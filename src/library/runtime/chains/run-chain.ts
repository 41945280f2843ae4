// Runs a chain: every step is a run of the engine. Between steps sound is 32-bit float without loss; only the chain's
// results are encoded, so the result is that of single runs over lossless files, bit for bit.
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import {
  callsOf,
  chainFiles,
  formatChoices,
  givenSources,
  isTaken,
  ofStep,
  ofWorkingForm,
  requireGiven,
  stepOptions,
} from '../../contract/chain-calls.ts';
import type { FilesByField } from '../../contract/tool-inputs.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { createProgressMeter, type OnProgress, type Warning } from '../../core/progress/progress.ts';
import type { Engine, UntypedEngine } from '../engine/engine-types.ts';
import {
  makeWorkFolder,
  type OutputFile,
  prepareDestination,
  publish,
  refusePlace,
  removeWorkFolder,
  workPartOf,
} from '../files/work-folder.ts';
import { type Chain, planChain, type PlannedChain, type PlannedStep } from './chain.ts';
import { isSoundFormat } from './forms.ts';

/** How a chain is run: where its results go, who is told, and what may end it. */
export interface ChainOptions {
  /** Path of the sound; further results go beside it, with its name. Default: names in `outputDir`. */
  readonly output?: string;
  /** Folder for the results: `<first file>.<chain>.<extension>`. Default: that of the first file. */
  readonly outputDir?: string;
  /** Of the names of results in `outputDir`, without extension. Default: `<first file>.<chain>`. */
  readonly baseName?: string;
  /**
   * Extension of the resulting sound: wav, mp3, m4a, flac, ogg, opus. Default: that of `output`, else as the first
   * file.
   */
  readonly format?: string;
  /** true: replaces existing files. Default: conflict, before the work where names are known by then. */
  readonly overwrite?: boolean;
  /** Folder for files between steps: float sound, 1.4 GB an hour of stereo. Default: the system's temporary folder. */
  readonly tempDir?: string;
  /** Ends the work; partial files are removed. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Gets the progress of the whole, which never falls; `stage` begins with the step's name. Default: none. */
  readonly onProgress?: OnProgress;
  /** Called for each warning as it comes up; the result holds all of them. Default: none. */
  readonly onWarning?: (warning: Warning) => void;
}

/** What a step did. */
export interface ChainedStep {
  /** As the chain calls it. */
  readonly name: string;
  /** The tool's public id. */
  readonly tool: string;
  /** Of each of its runs, in the order of its files: the tool's answer. */
  readonly results: readonly JsonObject[];
  /** Seconds of its inputs that were processed, all runs together. */
  readonly processedSeconds: number;
}

/** A result of a chain. */
export interface ChainOutput extends OutputFile {
  /** The step that wrote it. */
  readonly step: string;
}

/** What a chain made. */
export interface ChainRun {
  /** The chain's name. */
  readonly chain: string;
  /** The sound first, then what was written about it. */
  readonly outputs: readonly ChainOutput[];
  readonly steps: readonly ChainedStep[];
  readonly warnings: readonly Warning[];
}

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
  const place = await placeOf(planned, files, first, options);
  const between = await makeWorkFolder(options.tempDir ?? tmpdir());
  // Beside the results, so that putting them there is a rename.
  const finished = await makeWorkFolder(place.folder).catch(async (thrown: unknown) => {
    await removeWorkFolder(between);
    throw thrown;
  });
  try {
    const run = new RunningChain(engine, planned, files, place, between, workPartOf(finished), options);
    return await run.run();
  } finally {
    await Promise.all([removeWorkFolder(between), removeWorkFolder(finished)]);
  }
}

/** Where results go. */
interface Place {
  readonly folder: string;
  /** Of the names of all results. */
  readonly stem: string;
  /** Of the sound; null: as the first file. */
  readonly format: string | null;
  /** Of text, where `output` names one. */
  readonly textFormat: string | null;
}

/** @throws EarshotError bad_request, conflict */
async function placeOf(
  { name, steps }: PlannedChain,
  files: readonly string[],
  first: string,
  { output, outputDir, baseName, format: asked, overwrite = false }: ChainOptions,
): Promise<Place> {
  const own = output === undefined ? '' : extname(output).slice(1).toLowerCase();
  const makesSound = steps.some(({ tool, isResult }) => isResult && tool.writesText !== true);
  const format = asked ?? (own !== '' && makesSound ? own : null);
  if (format !== null && !isSoundFormat(format))
    throw new EarshotError(
      'bad_request',
      `Expected wav, mp3, m4a, flac, ogg, opus or a video's own extension but received ${format}`,
      { details: { field: asked === undefined ? 'output' : 'format', expected: 'a sound format', received: format } },
    );
  const destination = await prepareDestination(
    output === undefined ? { outputDir: resolve(outputDir ?? dirname(first)) } : { output: resolve(output), overwrite },
    files,
    [],
  );
  const folder = destination?.outputDir ?? resolve(dirname(first));
  const usual = baseName ?? `${basename(first, extname(first))}.${name}`;
  const stem = output === undefined ? usual : basename(output, extname(output));
  const textFormat = output !== undefined && !makesSound && own !== '' ? own : null;
  for (const step of steps) {
    const { tool, isResult, formats, soundFormat } = step;
    if (!isResult || isTaken(steps, step.name)) continue;
    if (format !== null && soundFormat !== null && soundFormat !== format)
      throw ofStep(
        step.name,
        new EarshotError(
          'bad_request',
          `Expected ${format} as its format, as the result is to have, but it says ${soundFormat}`,
          {
            nextAction: 'Leave the format out of the step, or give the result the extension of it.',
          },
        ),
      );
    const extension = format ?? soundFormat ?? extname(first).slice(1).toLowerCase();
    const extensions = tool.writesText === true ? (formats ?? tool.formats ?? []) : [extension];
    for (const each of extensions) await refusePlace(join(folder, `${stem}.${each}`), files, overwrite);
  }
  return { folder, stem, format, textFormat };
}

class RunningChain {
  private readonly engine: UntypedEngine;
  private readonly chain: PlannedChain;
  private readonly files: readonly string[];
  private readonly place: Place;
  private readonly between: string;
  private readonly finished: string;
  private readonly options: ChainOptions;
  private readonly made: Map<string, readonly Made[]>;
  private readonly warnings: Warning[] = [];
  private readonly stop = new AbortController();
  private readonly signal: AbortSignal;

  constructor(
    engine: UntypedEngine,
    chain: PlannedChain,
    files: readonly string[],
    place: Place,
    between: string,
    finished: string,
    options: ChainOptions,
  ) {
    this.engine = engine;
    this.chain = chain;
    this.files = files;
    this.place = place;
    this.between = between;
    this.finished = finished;
    this.options = options;
    this.signal = options.signal === undefined ? this.stop.signal : AbortSignal.any([options.signal, this.stop.signal]);
    this.made = givenSources(files.map((path) => ({ path: resolve(path), name: basename(path) })));
  }

  async run(): Promise<ChainRun> {
    const { steps } = this.chain;
    const done: ChainedStep[] = [];
    const results: Finished[] = [];
    const report = this.progress();
    for (const [at, step] of steps.entries()) {
      const { outputs, ...ran } = await this.runStep(step, (fraction, stage) => report(at, fraction, stage));
      done.push(ran);
      if (step.isResult)
        results.push({
          step: step.name,
          isText: step.tool.writesText === true,
          outputs,
          suffix: this.isLast(step) ? '' : `-${step.name}`,
        });
      await this.forget(at);
    }
    // The sound, which was made last, comes first.
    const ordered = results.toReversed().toSorted((a, b) => Number(a.isText) - Number(b.isText));
    const outputs: ChainOutput[] = [];
    for (const { step, outputs: files, suffix } of ordered)
      outputs.push(...(await this.publish(files, suffix)).map((file) => ({ ...file, step })));
    report(steps.length, 0, 'done');
    return { chain: this.chain.name, outputs, steps: done, warnings: this.warnings };
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
    const calls = callsOf(
      { name: step.name, inputs: step.tool.inputs, sources: step.sources },
      (source) => this.made.get(source) ?? [],
    );
    const control = this.controlOf(step);
    const fractions = calls.map(() => 0);
    const failures: unknown[] = [];
    const runs = calls.map((inputs, at) =>
      this.engine
        .run(step.tool.id, inputs, this.optionsOf(step, inputs), {
          ...control,
          outputDir: join(step.isResult ? this.finished : this.between, `${step.name}-${at + 1}`),
          onProgress: ({ progress, stage }) => {
            fractions[at] = progress;
            report(fractions.reduce((sum, each) => sum + each, 0) / fractions.length, `${step.name}: ${stage}`);
          },
          onWarning: (warning) => this.warn(step, warning),
        })
        .catch((thrown: unknown) => {
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

  private publish(files: readonly OutputFile[], suffix: string): Promise<OutputFile[]> {
    const { folder, stem } = this.place;
    const { overwrite = false } = this.options;
    const numbered = suffix !== '' && files.length > 1;
    const named = files.map(({ role, ...file }, at) => ({
      ...file,
      ...(role === null ? {} : { role }),
      filename: `${stem}${suffix}${numbered ? `-${at + 1}` : ''}${role === null ? '' : `-${role}`}${extname(file.path)}`,
    }));
    return publish(named, this.finished, { outputDir: folder, overwrite }, this.files, this.signal);
  }
}
