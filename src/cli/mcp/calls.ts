import { soundTrackName, soundTrackOption, splitSoundTrack } from '../../library/tools/declare/sound-track.ts';
import { writesFiles } from '../../library/runtime/files/output-names.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as Type from 'typebox/type';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { unknownName } from '../../library/core/checks/names.ts';
import type { OnProgress } from '../../library/core/progress/progress.ts';
import { badValue, createOptionsParser } from '../../library/core/checks/schema.ts';
import { type AssistantAnswer, measuredWords } from '../../library/contract/assistant-answers.ts';
import { cutWindow, stretchWords, usualStretchSeconds } from '../../library/contract/transcript-window.ts';
import { parseTranscript } from '../../library/contract/parse-transcript.ts';
import type { ToolRun, UntypedEngine } from '../../library/runtime/engine/engine-types.ts';
import { describeWithPaths, pathSchema } from '../../library/tools/assistant-tool.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { inputName } from '../../library/tools/declare/inputs.ts';
import { tools } from '../../library/tools/registry.ts';
import type { AllowedFolders } from './allowed-folders.ts';

/** Context of a call. */
export interface LocalContext {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** A call of an assistant on this machine. */
export interface LocalCall {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly readOnly: boolean;
  /** Can it replace a file? */
  readonly replaces: boolean;
  run(given: Readonly<Record<string, unknown>>, context: LocalContext): Promise<AssistantAnswer>;
}

/** Fields of every tool that writes files. */
const placeFields = {
  output_dir: { type: 'string', description: 'Folder for the results. Default: beside the input' },
  overwrite: { type: 'boolean', default: false, description: 'Replace existing results' },
  picture: { type: 'boolean', default: false, description: 'Also answer with a picture of the waveform' },
  measure: { type: 'boolean', default: true, description: 'Measure loudness, peak and noise before and after' },
} as const;

type Given = Readonly<Record<string, unknown>>;

/** All calls, on files of these folders. */
export const localCalls = (engine: UntypedEngine, folders: AllowedFolders): readonly LocalCall[] => [
  ...tools.map((tool) => toolCall(tool, engine, folders)),
  listCall(folders),
  readCall(folders),
];

function toolCall(tool: AnyTool, engine: UntypedEngine, folders: AllowedFolders): LocalCall {
  const schema = pathSchema(tool);
  const writes = writesFiles(tool);
  const properties = { ...schema.properties, [soundTrackName]: soundTrackOption, ...(writes ? placeFields : {}) };
  return {
    name: tool.id,
    title: tool.title,
    description: describeWithPaths(tool),
    inputSchema: { ...schema, properties },
    readOnly: !writes,
    replaces: writes,
    async run(given, context) {
      for (const name of Object.keys(given))
        if (!(name in properties)) throw unknownName(name, tool.id, Object.keys(properties), 'field');
      const { output_dir: place, overwrite, picture, measure, ...rest } = given;
      const { soundTrack, options: fields } = splitSoundTrack(rest);
      const { inputs, options } = await readFields(tool, fields, folders);
      const [first] = Object.values(inputs).flat();
      const outputDir =
        place === undefined ? folders.folderFor(first ?? '') : await folders.existing(textOf('output_dir', place));
      const run = await engine.run(tool.id, inputs, options, {
        ...context,
        ...(soundTrack === undefined ? {} : { soundTrack }),
        ...(writes ? { outputDir, overwrite: flagOf('overwrite', overwrite, false) } : {}),
      });
      const measured =
        writes && flagOf('measure', measure, true) ? await measureBoth(engine, first, run, context.signal) : null;
      return answerRun(run, measured, flagOf('picture', picture, false) ? await drawOutput(run, first) : null);
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
      inputs[field] = [await folders.file(textOf(name, value))];
      continue;
    }
    if (!Array.isArray(value)) throw badValue(name, itemKey === undefined ? 'list of paths' : 'list of objects', value);
    const paths = value.map((item: unknown) =>
      textOf(name, itemKey === undefined ? item : (item as { file?: unknown } | null)?.file),
    );
    inputs[field] = await Promise.all(paths.map((path) => folders.file(path)));
    if (itemKey !== undefined) options[field] = value.map(({ file: _file, ...settings }: Given) => settings);
  }
  return { inputs, options: tool.parseOptions(options) };
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= 4096) return value;
  throw badValue(name, 'path', value);
}

function flagOf(name: string, value: unknown, usual: boolean): boolean {
  if (value === undefined) return usual;
  if (typeof value === 'boolean') return value;
  throw badValue(name, 'true or false', value);
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
  const { drawWaveform } = await import('../../library/waveform/draw.ts');
  return drawWaveform(path, { width: 800, height: 160, axis: true, background: '#ffffff' });
}

function answerRun(
  { tool, outputs, result, warnings, processedSeconds }: ToolRun<string>,
  measured: { readonly before: Measured; readonly after: Measured } | null,
  picture: Buffer | null,
): AssistantAnswer {
  const lines = [
    outputs.length === 0 ? `${tool} is done.` : `${tool} is done. Files written: ${outputs.length}.`,
    ...(measured === null ? [] : [`Before: ${figures(measured.before)}. After: ${figures(measured.after)}.`]),
  ];
  const quoted = [
    ...outputs.map(({ path }) => `Written: ${path}`),
    ...measuredWords(result),
    ...warnings.map(({ message }) => `Warning: ${message}`),
  ];
  const files = outputs.map(({ path, filename, contentType, sizeBytes, durationSeconds }) => ({
    path,
    filename,
    contentType,
    sizeBytes,
    durationSeconds,
  }));
  return {
    text: lines.join('\n'),
    quoted: quoted.join('\n'),
    data: { tool, outputs: files, result, measured, warnings, processedSeconds },
    links: files.map(({ path, filename, contentType, sizeBytes }) => ({
      name: filename,
      uri: pathToFileURL(path).href,
      contentType,
      sizeBytes,
    })),
    ...(picture === null ? {} : { picture }),
  };
}

const figures = ({ integratedLufs, truePeakDbtp, noiseFloorDbfs, durationSeconds }: Measured): string =>
  [
    `${durationSeconds.toFixed(1)} s`,
    ...(integratedLufs === null ? [] : [`${integratedLufs.toFixed(1)} LUFS`]),
    ...(truePeakDbtp === null ? [] : [`true peak ${truePeakDbtp.toFixed(1)} dBTP`]),
    ...(noiseFloorDbfs === null ? [] : [`noise ${noiseFloorDbfs.toFixed(1)} dBFS`]),
  ].join(', ');

const ListFiles = Type.Object(
  { folder: Type.Optional(Type.String({ description: 'Default: the allowed folders' })) },
  { additionalProperties: false },
);
/** A longer list would fill the model's context. */
const mostListed = 200;

function listCall(folders: AllowedFolders): LocalCall {
  const parse = createOptionsParser<{ folder?: string }>('list_files', ListFiles);
  return {
    name: 'list_files',
    title: 'List files',
    description: 'Files and folders in a folder that is allowed, with their sizes; the newest first.',
    inputSchema: ListFiles,
    readOnly: true,
    replaces: false,
    async run(given) {
      const { folder } = parse(given, 'json');
      const shown = folder === undefined ? folders.roots : [await folders.existing(folder)];
      const entries = (await Promise.all(shown.map(listFolder))).flat();
      const listed = entries.toSorted((a, b) => b.changedAt - a.changedAt).slice(0, mostListed);
      const left = entries.length - listed.length;
      return {
        text:
          entries.length === 0
            ? 'There are no files.'
            : `Files and folders: ${listed.length}${left > 0 ? `, and ${left} more` : ''}.`,
        quoted: listed.map(({ path, bytes }) => (bytes === null ? `${path}/` : `${path} (${bytes} bytes)`)).join('\n'),
        data: { files: listed.map(({ path, bytes }) => ({ path, bytes })), left: Math.max(0, left) },
      };
    },
  };
}

async function listFolder(folder: string): Promise<{ path: string; bytes: number | null; changedAt: number }[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new EarshotError('bad_request', `${folder} cannot be listed`, { cause, nextAction: 'Name a folder.' });
  });
  const found = await Promise.all(
    names
      .filter((name) => !name.startsWith('.'))
      .map(async (name) => {
        const path = join(folder, name);
        const facts = await stat(path).catch(() => null);
        if (facts === null) return [];
        return [{ path, bytes: facts.isDirectory() ? null : facts.size, changedAt: facts.mtimeMs }];
      }),
  );
  return found.flat();
}

const ReadTranscript = Type.Object(
  {
    file: Type.String({ description: 'Path of a transcript as JSON' }),
    from: Type.Optional(Type.Number({ minimum: 0, default: 0, description: 'Seconds' })),
    to: Type.Optional(Type.Number({ minimum: 0, description: `Seconds. Default: from + ${usualStretchSeconds}` })),
    detail: Type.Optional(Type.Enum(['concise', 'full'], { default: 'concise', description: 'full: with every word' })),
  },
  { additionalProperties: false },
);
const mostTranscriptBytes = 64 * 1024 * 1024;

interface AskedTranscript {
  file: string;
  from?: number;
  to?: number;
  detail?: 'concise' | 'full';
}

function readCall(folders: AllowedFolders): LocalCall {
  const parse = createOptionsParser<AskedTranscript>('read_transcript', ReadTranscript);
  return {
    name: 'read_transcript',
    title: 'Read a transcript',
    description: 'The sentences of a transcript in a window of time, with speakers.',
    inputSchema: ReadTranscript,
    readOnly: true,
    replaces: false,
    async run(given) {
      const { file, from = 0, to = from + usualStretchSeconds, detail = 'concise' } = parse(given, 'json');
      const path = await folders.file(file);
      if ((await stat(path)).size > mostTranscriptBytes)
        throw new EarshotError('file_too_large', `Expected a transcript of at most ${mostTranscriptBytes} bytes`);
      const stretch = cutWindow(parseTranscript(await readFile(path, 'utf8')), from, to, detail);
      return { ...stretchWords(stretch), data: stretch };
    },
  };
}
