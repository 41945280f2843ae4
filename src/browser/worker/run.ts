// One run of a tool in this worker.
import { EarshotError } from '../../library/core/errors/errors.ts';
import { noFinishedParts } from '../../library/core/progress/finished-parts.ts';
import { roundTime, withRoundTimes } from '../../library/core/round-times.ts';
import type { Progress } from '../../library/core/progress/progress.ts';
import { createRunMeter } from '../../library/core/progress/run-meter.ts';
import { type FilesByField, type InputFile, shapeInputs } from '../../library/contract/tool-inputs.ts';
import { runHere } from '../../library/dsp/denoise/suppressor/pieces.ts';
import { inputsByField } from '../../library/runtime/files/inputs.ts';
import { answersOnly, askedFormat, outputFilename } from '../../library/runtime/files/output-names.ts';
import { passWeights } from '../../library/runtime/engine/pass-weights.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { throwIfRefused } from '../../library/tools/declare/refusals.ts';
import type { RunContext, RunOutput } from '../../library/tools/declare/run.ts';
import type { FileTree } from '../files/tree.ts';
import { useFiles } from '../files/current.ts';
import { useModule } from '../in-place-of/library/kernels/addon.ts';
import { useRnnoise } from '../in-place-of/library/dsp/denoise/rnnoise/open-rnnoise.ts';
import type { DoneRun, FromWorker, NamedBlob, Places, TabInputs, TabOutput } from '../messages.ts';
import { modelsFolder, useModels } from '../models/placed.ts';
import { lookAtInput } from '../media/look.ts';
import { loadTool, placePackage } from './tools.ts';

const progressIntervalMilliseconds = 100;
/** Of a run's progress: decoding before it takes about as long as most tools. */
const decodingShare = 0.5;

export interface RunOrder {
  readonly tool: string;
  readonly inputs: TabInputs;
  readonly options: object;
  readonly places: Places;
}

async function fetchKernels(url: string): Promise<Uint8Array> {
  const answer = await fetch(url);
  if (!answer.ok)
    throw new EarshotError('tool_unavailable', `The kernels cannot be fetched (${answer.status} for ${url})`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Puts the inputs where the library finds files. */
function placed(files: FileTree, tool: AnyTool, inputs: TabInputs): FilesByField<InputFile> {
  let count = 0;
  const place = ({ name, data }: NamedBlob): InputFile => {
    const path = `/in/${(count += 1)}/${name.replaceAll('/', '_')}`;
    files.addInput(path, data);
    return { path, name };
  };
  const isOne = 'data' in inputs && inputs.data instanceof Blob;
  const given = isOne
    ? place(inputs as NamedBlob)
    : Array.isArray(inputs)
      ? (inputs as readonly NamedBlob[]).map(place)
      : Object.fromEntries(
          Object.entries(inputs as Readonly<Record<string, NamedBlob | readonly NamedBlob[]>>).map(([field, value]) => [
            field,
            Array.isArray(value) ? (value as readonly NamedBlob[]).map(place) : place(value as NamedBlob),
          ]),
        );
  return Object.fromEntries(inputsByField(tool, given)) as unknown as FilesByField<InputFile>;
}

function describe(files: FileTree, kept: Blob, filename: string, output: RunOutput): TabOutput {
  const { path, contentType, format, durationSeconds, role = null } = output;
  const file = new File(files.partsOf(path, kept), filename, { type: contentType });
  const sizeBytes = file.size;
  return { file, filename, contentType, format, sizeBytes, durationSeconds: roundTime(durationSeconds), role };
}

/**
 * Outputs lie in what stays of the files' store.
 * @throws EarshotError
 * @throws AbortError
 */
export async function runTool(
  { tool: name, inputs, options: given, places }: RunOrder,
  files: FileTree,
  signal: AbortSignal,
  say: (message: FromWorker) => void,
): Promise<DoneRun> {
  useFiles(files);
  placePackage(files);
  useRnnoise(places.rnnoise);
  const [tool, kernels] = await Promise.all([loadTool(name), fetchKernels(places.kernels)]);
  useModule(kernels);
  const options = tool.parseOptions(given);
  const placedInputs = placed(files, tool, inputs);
  throwIfRefused(tool.refuse(placedInputs, options));
  if (tool.work.models === 'speech' && places.models === null)
    throw new EarshotError('tool_unavailable', `${tool.id} needs models, and the page has not said where they are`, {
      nextAction: 'Pass the address of their folder as `models` of createEngine: docs/browser.md.',
    });
  const all = Object.entries(placedInputs).flatMap(([field, list]) => list.map((file) => ({ field, file })));
  const names = all.map(({ file }) => file.name);
  const meter = createRunMeter(passWeights(tool.passes ?? {}, names[0] ?? '', options));
  let saidAt = -Infinity;
  let decoded = 0;
  let last: Progress = { progress: 0, stage: 'starting', estimatedSecondsLeft: null };
  const progress = (at: Progress, isNew = false): void => {
    last = at;
    const now = performance.now();
    if (!isNew && now - saidAt < progressIntervalMilliseconds) return;
    saidAt = now;
    say({ type: 'progress', progress: { ...at, progress: decoded + (1 - decoded) * at.progress } });
  };
  useModels({
    base: places.models,
    signal,
    onFetch: () => progress({ ...last, stage: 'fetching models', estimatedSecondsLeft: null }, true),
  });
  const media = all.filter(({ field }) => tool.inputs[field]?.kind === 'media');
  for (const [index, { file }] of media.entries()) {
    const before = decoded;
    await lookAtInput(files, file.path, signal, (fraction) => {
      decoded = Math.max(before, (decodingShare * (index + Math.min(1, fraction))) / media.length);
      progress({ progress: 0, stage: 'decoding', estimatedSecondsLeft: null });
    });
  }
  const [main] = all;
  if (main && !tool.writesText && !answersOnly(tool, options)) {
    const { refuseOutput } = await import('../media/refuse-output.ts');
    refuseOutput(main.file.path, askedFormat(options));
  }
  let pass = 0;
  const context: RunContext = {
    inputs: shapeInputs(tool.inputs, placedInputs),
    options,
    workDir: '/work',
    signal,
    parallelism: 1,
    modelsDir: modelsFolder,
    progress: (fraction, stage) => progress(meter.report(fraction, stage)),
    pass(stage, after = [], maybe = []) {
      const own = (pass += 1);
      progress(meter.begin({ stage, after, maybe }), true);
      return (fraction) => {
        if (own === pass) progress(meter.report(fraction, stage));
      };
    },
    warn: (warning) => say({ type: 'warning', warning }),
    partial: () => undefined,
    finished: noFinishedParts,
    // In this worker, one piece after the other.
    fanOut: runHere(signal),
  };
  const { run } = await tool.run();
  const { outputs, result, processedSeconds } = await run(context);
  // Without outputs the store goes as a whole.
  const kept =
    outputs.length === 0 ? new Blob() : await files.store.keep(files.gather(outputs.map(({ path }) => path)));
  progress(meter.finish('done'), true);
  return {
    tool: tool.id,
    outputs: outputs.map((each) => describe(files, kept, outputFilename(tool, each.filename, names), each)),
    result: withRoundTimes(result),
    processedSeconds: roundTime(processedSeconds),
  };
}
