// Calls a tool that takes several inputs the way a job process does, and reads what it wrote.
import { mkdtempSync } from 'node:fs';
import { noFinishedParts } from '../../../src/library/core/progress/finished-parts.ts';
import type { Warning } from '../../../src/library/core/progress/progress.ts';
import { channelWeights, createLoudness } from '../../../src/library/kernels/loudness.ts';
import { usualLayout } from '../../../src/library/core/channels.ts';
import { type FilesByField, type InputRoles, shapeInputs } from '../../../src/library/contract/tool-inputs.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { inputFiles, type TestInput } from '../../fixtures/media/input-files.ts';
import { passesInOne } from '../../fixtures/passes.ts';
import type { Refusal } from '../../../src/library/contract/tool-facts.ts';
import { throwIfRefused } from '../../../src/library/tools/declare/refusals.ts';
import type { RunContext, RunResult } from '../../../src/library/tools/declare/run.ts';

interface Runnable<Options, Roles extends InputRoles> {
  readonly inputs: Roles;
  parseOptions(options: unknown): Options;
  refuse(inputs: FilesByField<object>, options: Options): readonly Refusal[];
  run(): Promise<{ run(context: RunContext<Options, Roles>): Promise<RunResult<object>> }>;
}

export interface Ran {
  readonly result: Record<string, unknown>;
  readonly outputs: RunResult['outputs'];
  readonly processedSeconds: number;
  readonly warnings: readonly Warning[];
  readonly progress: readonly number[];
}

export async function runWith<Options, Roles extends InputRoles>(
  tool: Runnable<Options, Roles>,
  inputs: FilesByField<TestInput>,
  options: unknown,
  folderPrefix: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<Ran> {
  const warnings: Warning[] = [];
  const progress: number[] = [];
  const files = inputFiles(inputs);
  const parsed = tool.parseOptions(options);
  throwIfRefused(tool.refuse(files, parsed));
  const { run } = await tool.run();
  const done = await run({
    inputs: shapeInputs(tool.inputs, files),
    options: parsed,
    workDir: mkdtempSync(folderPrefix),
    signal,
    parallelism: 1,
    modelsDir: undefined,
    progress: (fraction) => void progress.push(fraction),
    pass: passesInOne((fraction) => void progress.push(fraction)),
    warn: (warning) => void warnings.push(warning),
    partial: () => undefined,
    finished: noFinishedParts,
    fanOut: runHere(signal),
  });
  return { ...done, result: done.result as Record<string, unknown>, warnings, progress };
}

/** Integrated loudness of planes, LUFS; -Infinity for silence. */
export function lufs(planes: readonly Float32Array[], rate: number): number {
  const meter = createLoudness({
    sampleRate: rate,
    weights: channelWeights(usualLayout(planes.length), planes.length),
  });
  meter.push(planes);
  return meter.result().integratedLufs ?? Number.NEGATIVE_INFINITY;
}

export const codesOf = ({ warnings }: Ran): string[] => warnings.map(({ code }) => code);
