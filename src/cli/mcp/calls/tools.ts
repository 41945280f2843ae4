// A call for each tool: it starts a job, and answers with what came out and with what was measured before and after.
import { type AssistantAnswer, measuredWords } from '../../../library/contract/assistant-answers.ts';
import { unknownName } from '../../../library/core/checks/names.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { writesFiles } from '../../../library/runtime/files/output-names.ts';
import type { ToolRun, UntypedEngine } from '../../../library/runtime/engine/engine-types.ts';
import { describeWithPaths, pathSchema } from '../../../library/tools/assistant-tool.ts';
import type { AnyTool } from '../../../library/tools/declare/define.ts';
import { inputName } from '../../../library/tools/declare/inputs.ts';
import { keepEncodingName } from '../../../library/tools/declare/keep-encoding.ts';
import { soundTrackName, soundTrackOption, splitSoundTrack } from '../../../library/tools/declare/sound-track.ts';
import { lenientValues } from '../../../library/tools/lenient-values.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { resultOf } from '../../../library/tools/answer-schemas.ts';
import { jobAnswer } from './answer-schemas.ts';
import { answerCall } from './jobs.ts';
import { answerFiles } from './written.ts';
import { flagOf, type Given, type LocalCall, type LocalDeps, pathOf, waitField, waitOf } from './call.ts';

/** Fields of every tool that writes files. */
const placeFields = {
  output_dir: { type: 'string', description: 'Folder for the results. Default: beside the input' },
  overwrite: { type: 'boolean', default: false, description: 'Replace existing results' },
  picture: { type: 'boolean', default: false, description: 'Also answer with a picture of the waveform' },
  measure: { type: 'boolean', default: true, description: 'Measure loudness, peak and noise before and after' },
} as const;

/** Fields that the server's instructions have once for all tools: in each schema they were a quarter of all. */
const toldOnce = new Set<string>([soundTrackName, keepEncodingName, 'output_dir', 'picture', 'measure', 'wait']);

export function toolCall(tool: AnyTool, { engine, folders, jobs }: LocalDeps): LocalCall {
  const schema = pathSchema(tool);
  const writes = writesFiles(tool);
  const properties = {
    ...schema.properties,
    [soundTrackName]: soundTrackOption,
    wait: waitField,
    ...(writes ? placeFields : {}),
  };
  const shown = Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !toldOnce.has(name))
      .map(([name, field]) => [name, name === 'overwrite' ? { type: 'boolean' } : field]),
  );
  return {
    name: tool.id,
    title: tool.title,
    description: describeWithPaths(tool),
    inputSchema: { ...schema, properties: shown },
    outputSchema: jobAnswer({
      result: resultOf(tool.id),
      measured: { type: ['object', 'null'] },
      processedSeconds: { type: 'number' },
    }),
    group: tool.shown.purpose,
    usual: tool.shown.usualForAssistants ?? false,
    readOnly: !writes,
    replaces: writes,
    async run(asked, waiting) {
      const given = lenientValues(properties, asked, tool.optionRules);
      for (const name of Object.keys(given))
        if (!(name in properties)) throw unknownName(name, tool.id, Object.keys(properties), 'field');
      const { output_dir: place, overwrite, picture, measure, wait, ...rest } = given;
      const { soundTrack, options: fields } = splitSoundTrack(rest);
      const { inputs, options } = await readFields(tool, fields, folders);
      const [first] = Object.values(inputs).flat();
      const control = {
        ...(soundTrack === undefined ? {} : { soundTrack }),
        ...(writes
          ? {
              outputDir: await folders.folderFor(
                first ?? '',
                place === undefined ? undefined : pathOf('output_dir', place),
              ),
              overwrite: flagOf('overwrite', overwrite, false),
            }
          : {}),
      };
      const wanted = {
        picture: flagOf('picture', picture, false),
        measure: writes && flagOf('measure', measure, true),
      };
      const waitSeconds = waitOf(wait);
      const finished = await jobs.start(
        tool.id,
        { inputs, options, control, wanted },
        async ({ signal, onProgress }) => {
          const run = await engine.run(tool.id, inputs, options, { ...control, signal, onProgress });
          const measured = wanted.measure ? await measureBoth(engine, first, run, signal) : null;
          const answer = await answerRun(run, measured);
          const picture = wanted.picture ? await drawOutput(run, first) : null;
          return picture === null ? answer : { ...answer, picture };
        },
        { ...waiting, waitSeconds },
      );
      return answerCall(finished);
    },
  };
}

/** Paths and options of a call. */
async function readFields(
  tool: AnyTool,
  fields: Given,
  folders: AllowedFolders,
): Promise<{ inputs: Record<string, string[]>; options: object }> {
  const inputs: Record<string, string[]> = {};
  const options: Record<string, unknown> = { ...fields };
  for (const [field, { itemKey, multiple }] of Object.entries(tool.inputs)) {
    const name = inputName(field);
    const value = fields[name];
    delete options[name];
    if (value === undefined) continue;
    if (!multiple) {
      inputs[field] = [await folders.file(pathOf(name, value))];
      continue;
    }
    if (!Array.isArray(value)) throw badValue(name, itemKey === undefined ? 'list of paths' : 'list of objects', value);
    const paths = value.map((item: unknown) =>
      pathOf(name, itemKey === undefined ? item : (item as { file?: unknown } | null)?.file),
    );
    inputs[field] = await Promise.all(paths.map((path) => folders.file(path)));
    if (itemKey !== undefined) options[field] = value.map(({ file: _file, ...settings }: Given) => settings);
  }
  return { inputs, options: tool.parseOptions(options) };
}

/** Figures of a sound, before or after. */
interface Measured {
  readonly integratedLufs: number | null;
  readonly truePeakDbtp: number | null;
  readonly noiseFloorDbfs: number | null;
  readonly durationSeconds: number;
}

/** Loudness, peak and noise of the first input and the first output, where both are sound. */
async function measureBoth(
  engine: UntypedEngine,
  input: string | undefined,
  { outputs }: ToolRun<string>,
  signal: AbortSignal,
): Promise<{ readonly before: Measured; readonly after: Measured } | null> {
  const output = outputs.find(({ hasAudio }) => hasAudio);
  if (input === undefined || output === undefined) return null;
  const [before, after] = await Promise.all(
    [input, output.path].map(async (path): Promise<Measured> => {
      const { result } = await engine.run('analyze_audio', path, {}, { signal });
      const { loudness, levels, durationSeconds } = result as unknown as {
        loudness: Pick<Measured, 'integratedLufs' | 'truePeakDbtp'>;
        levels: Pick<Measured, 'noiseFloorDbfs'>;
        durationSeconds: number;
      };
      const { integratedLufs, truePeakDbtp } = loudness;
      return { integratedLufs, truePeakDbtp, noiseFloorDbfs: levels.noiseFloorDbfs, durationSeconds };
    }),
  );
  return before === undefined || after === undefined ? null : { before, after };
}

/** The waveform of the first output with sound, else of the input. */
async function drawOutput({ outputs }: ToolRun<string>, input: string | undefined): Promise<Buffer | null> {
  const path = outputs.find(({ hasAudio }) => hasAudio)?.path ?? input;
  if (path === undefined) return null;
  const { drawWaveform } = await import('../../../library/waveform/draw.ts');
  return drawWaveform(path, { width: 800, height: 160, axis: true, background: '#ffffff' });
}

function answerRun(
  { tool, outputs, result, warnings, processedSeconds }: ToolRun<string>,
  measured: { readonly before: Measured; readonly after: Measured } | null,
): Promise<AssistantAnswer> {
  const lines = [
    outputs.length === 0 ? `${tool} is done.` : `${tool} is done. Files written: ${outputs.length}.`,
    ...(measured === null ? [] : [`Before: ${figures(measured.before)}. After: ${figures(measured.after)}.`]),
  ];
  const quoted = [...measuredWords(result), ...warnings.map(({ message }) => `Warning: ${message}`)];
  const files = outputs.map(({ path, filename, contentType, sizeBytes, durationSeconds }) => ({
    path,
    filename,
    contentType,
    sizeBytes,
    durationSeconds,
  }));
  return answerFiles(lines.join('\n'), files, quoted, { result, measured, warnings, processedSeconds });
}

const figures = ({ integratedLufs, truePeakDbtp, noiseFloorDbfs, durationSeconds }: Measured): string =>
  [
    `${durationSeconds.toFixed(1)} s`,
    ...(integratedLufs === null ? [] : [`${integratedLufs.toFixed(1)} LUFS`]),
    ...(truePeakDbtp === null ? [] : [`true peak ${truePeakDbtp.toFixed(1)} dBTP`]),
    ...(noiseFloorDbfs === null ? [] : [`noise ${noiseFloorDbfs.toFixed(1)} dBFS`]),
  ].join(', ');
