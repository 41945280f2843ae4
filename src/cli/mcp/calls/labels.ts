// Calls for what surrounds the sound of a file: facts, tags, cover, chapters, captions; and for hearing before doing.
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import * as Type from 'typebox/type';
import { captionProfiles } from '../../../library/contract/text-files.ts';
import { parseTranscript } from '../../../library/contract/parse-transcript.ts';
import { badValue, createOptionsParser } from '../../../library/core/checks/schema.ts';
import { renameFile } from '../../../library/core/files/rename-file.ts';
import type { Warning } from '../../../library/core/progress/progress.ts';
import type { ChapterStart } from '../../../library/media/chapters/times.ts';
import { refusePlace } from '../../../library/runtime/files/work-folder.ts';
import { transcriptFormats } from '../../../library/speech/transcript/write/formats.ts';
import { requireTool, tools } from '../../../library/tools/registry.ts';
import { lenientValues } from '../../../library/tools/lenient-values.ts';
import { factsAnswer, jobAnswer, labelsAnswer } from './answer-schemas.ts';
import type { LocalCall, LocalDeps } from './call.ts';
import { writingCall } from './writing-call.ts';
import { answerFiles, writtenFiles } from './written.ts';

const closed = { additionalProperties: false } as const;
const text = Type.Union([Type.String(), Type.Null()]);
/** An object of any fields: Gemini takes none that does not name them, so it is shown as a text. */
export const jsonField = Type.Unsafe<Record<string, unknown>>({ type: 'object' });
export const jsonShown = { type: 'string', description: 'JSON' };
/** Chapters as a model writes them. */
export const chaptersField = Type.Array(
  Type.Object({ at: Type.Number({ minimum: 0, description: 'Seconds or 1:02:03' }), title: Type.String() }, closed),
  { minItems: 1, maxItems: 1000 },
);

export interface AskedChapter {
  readonly at: number;
  readonly title: string;
}

const chapterStarts = (chapters: readonly AskedChapter[]): ChapterStart[] =>
  chapters.map(({ at, title }) => ({ startSeconds: at, title }));

/** What is labelled with. */
interface Labels {
  readonly tags: Readonly<Record<string, string | null>>;
  /** Path; null removes pictures. */
  readonly cover?: string | null;
  readonly chapters?: readonly ChapterStart[];
}

/**
 * Writes a copy with these labels; nothing is encoded again. The target, which may be the file itself, changes when the
 * copy is whole.
 */
async function labelFile(
  file: string,
  target: string,
  { tags, cover, chapters }: Labels,
  signal: AbortSignal,
): Promise<readonly Warning[]> {
  const [{ setTags }, { setChapters }] = await Promise.all([
    import('../../../library/media/write/set-tags.ts'),
    import('../../../library/media/write/set-chapters.ts'),
  ]);
  const warnings: Warning[] = [];
  const options = { signal, onWarning: (warning: Warning) => void warnings.push(warning) };
  const part = join(dirname(target), `.${randomUUID()}${extname(target)}`);
  try {
    let source = file;
    if (Object.keys(tags).length > 0 || cover !== undefined) {
      await setTags(source, part, { tags, ...(cover === undefined ? {} : { cover }) }, options);
      source = part;
    }
    if (chapters !== undefined) await setChapters(source, part, chapters, options);
    await renameFile(part, target);
    return warnings;
  } finally {
    await rm(part, { force: true });
  }
}

export const labelCalls = (deps: LocalDeps): readonly LocalCall[] => [
  probeCall(deps),
  labelCall(deps),
  captionsCall(deps),
  previewCall(deps),
];

function probeCall({ folders }: LocalDeps): LocalCall {
  const schema = Type.Object({ file: Type.String() }, closed);
  const parse = createOptionsParser<{ file: string }>('probe_file', schema);
  return {
    name: 'probe_file',
    title: 'Look at a file',
    description: 'Length, format, streams, tags, cover and chapters of a file, without decoding it.',
    inputSchema: schema,
    outputSchema: factsAnswer,
    group: 'labels',
    usual: true,
    readOnly: true,
    replaces: false,
    async run(given) {
      const path = await folders.file(parse(given, 'json').file);
      const { probe } = await import('../../../library/media/read/probe.ts');
      const { streams: _streams, ...facts } = probe(path);
      const { format, durationSeconds, audio, video, tags, chapters, cover } = facts;
      const seconds = durationSeconds === null ? 'unknown length' : `${Math.round(durationSeconds * 1000) / 1000} s`;
      const sound = audio === null ? 'no sound' : `${audio.codec}, ${audio.sampleRate} Hz, ${audio.layout}`;
      const picture = video === null ? '' : `, ${video.codec} ${video.width} x ${video.height}`;
      return {
        text: `${format}, ${seconds}, ${sound}${picture}. Cover: ${cover === null ? 'none' : 'yes'}.`,
        quoted: [
          ...Object.entries(tags).map(([name, value]) => `${name}: ${value}`),
          ...chapters.map(({ startSeconds, title }) => `Chapter at ${startSeconds} s: ${title}`),
        ].join('\n'),
        data: facts,
      };
    },
  };
}

const labelCall = ({ folders, jobs }: LocalDeps): LocalCall =>
  writingCall(jobs, {
    name: 'label_file',
    title: 'Set tags, cover and chapters',
    description:
      'Gives a file tags, a cover and chapters. Nothing is encoded again; chapters take the place of its own.',
    group: 'labels',
    fields: {
      file: Type.String(),
      title: Type.Optional(Type.String()),
      artist: Type.Optional(Type.String()),
      album: Type.Optional(Type.String({ description: 'Or the show' })),
      tags: Type.Optional(
        Type.Object(
          { date: Type.Optional(text), genre: Type.Optional(text), track: Type.Optional(text) },
          { additionalProperties: text, description: 'And any other; null removes one' },
        ),
      ),
      cover: Type.Optional(Type.String({ description: 'JPEG or PNG' })),
      chapters: Type.Optional(chaptersField),
      in_place: Type.Optional(Type.Boolean({ description: 'Label the file itself instead of a copy' })),
    },
    outputSchema: jobAnswer(labelsAnswer),
    async start(asked) {
      const { title, artist, album, chapters, in_place: inPlace = false, overwrite: replace = false } = asked;
      const file = await folders.file(asked.file);
      const cover = asked.cover === undefined ? undefined : await folders.file(asked.cover);
      const tags = Object.fromEntries(
        Object.entries({ title, artist, album, ...asked.tags }).filter(([, value]) => value !== undefined),
      ) as Record<string, string | null>;
      if (Object.keys(tags).length === 0 && cover === undefined && chapters === undefined)
        throw badValue('title', 'title, another tag, cover or chapters', undefined);
      const place = await folders.folderFor(file, asked.output_dir);
      const extension = extname(file);
      const target = inPlace ? file : join(place, `${basename(file, extension)}.labelled${extension}`);
      if (!inPlace) await refusePlace(target, [file], replace);
      const labels = {
        tags,
        ...(cover === undefined ? {} : { cover }),
        ...(chapters === undefined ? {} : { chapters: chapterStarts(chapters) }),
      };
      return [
        { file, target, labels },
        async ({ signal }) => {
          const warnings = await labelFile(file, target, labels, signal);
          const { probe } = await import('../../../library/media/read/probe.ts');
          const { tags: read, chapters: written, durationSeconds } = probe(target);
          return answerFiles(
            `The file has ${Object.keys(read).length} tags and ${written.length} chapters.`,
            await writtenFiles([target], new Map([[target, durationSeconds]])),
            warnings.map(({ message }) => `Warning: ${message}`),
            { tags: read, chapters: written, warnings },
          );
        },
      ];
    },
  });

const captionsCall = ({ folders, jobs }: LocalDeps): LocalCall =>
  writingCall(jobs, {
    name: 'write_captions',
    title: 'Write captions',
    description: 'Writes a transcript as captions or a document.',
    group: 'labels',
    fields: {
      transcript: Type.String({ description: 'JSON of transcribe_audio' }),
      formats: Type.Array(Type.Enum([...transcriptFormats]), { minItems: 1 }),
      profile: Type.Optional(Type.Enum([...captionProfiles], { description: 'For whom' })),
      karaoke: Type.Optional(Type.Boolean({ description: 'A time for each word' })),
      speakers: Type.Optional(Type.Array(Type.String(), { description: 'Their names, in the order of their numbers' })),
    },
    outputSchema: jobAnswer(),
    async start(asked) {
      const { formats, profile, karaoke, speakers = [], overwrite: replace = false } = asked;
      const file = await folders.file(asked.transcript);
      const place = await folders.folderFor(file, asked.output_dir);
      const stem = basename(file, extname(file));
      const targets = formats.map((format) => ({ format, path: join(place, `${stem}.${format}`) }));
      for (const { path } of targets) await refusePlace(path, [file], replace);
      const options = {
        recording: stem,
        names: Object.fromEntries(speakers.map((name, at) => [at + 1, name])),
        ...(profile === undefined ? {} : { profile }),
        ...(karaoke === undefined ? {} : { karaoke }),
      };
      return [
        { file, targets, options },
        async () => {
          const { writeTranscript } = await import('../../../library/speech/transcript/write/formats.ts');
          const transcript = parseTranscript(await readFile(file, 'utf8'));
          for (const { format, path } of targets) await writeFile(path, writeTranscript(transcript, format, options));
          const written = await writtenFiles(targets.map(({ path }) => path));
          return answerFiles(`Files written: ${written.length}.`, written, [], {});
        },
      ];
    },
  });

const previewCall = ({ engine, folders, jobs }: LocalDeps): LocalCall =>
  writingCall(jobs, {
    name: 'preview_tool',
    title: 'Hear a passage before and after a tool',
    description: 'Writes a passage as it is and as a tool would make it, equally loud, for a person to compare.',
    group: 'labels',
    fields: {
      tool: Type.Enum(tools.filter(({ preview }) => preview !== null).map(({ id }) => id)),
      file: Type.String(),
      options: Type.Optional(jsonField),
      from: Type.Optional(Type.Number({ minimum: 0, default: 0, description: 'Seconds' })),
      seconds: Type.Optional(Type.Number({ minimum: 1, maximum: 600, default: 20 })),
    },
    shown: { options: { ...jsonShown, description: "The tool's, as JSON" } },
    outputSchema: jobAnswer({ before: { type: 'object' }, after: { type: 'object' } }),
    async start(asked) {
      const { from: fromSeconds, seconds, overwrite: replace = false } = asked;
      const tool = requireTool(asked.tool);
      const file = await folders.file(asked.file);
      const place = await folders.folderFor(file, asked.output_dir);
      const options = tool.parseOptions(
        lenientValues(tool.options.properties ?? {}, { ...asked.options }, tool.optionRules),
      );
      const passage = {
        output: join(place, `${basename(file, extname(file))}.${tool.slug}`),
        overwrite: replace,
        ...(fromSeconds === undefined ? {} : { fromSeconds }),
        ...(seconds === undefined ? {} : { seconds }),
      };
      return [
        { tool: tool.id, file, options, passage },
        async ({ signal, onProgress }) => {
          const { previewUntyped } = await import('../../../library/runtime/recipes/preview.ts');
          const made = await previewUntyped(engine, tool, file, options, { ...passage, signal, onProgress });
          const { before, after, warnings, ...facts } = made;
          return answerFiles(
            'The passage is written twice, both equally loud: as it is, and as it would become.',
            await writtenFiles([before.path, after.path]),
            warnings.map(({ message }) => `Warning: ${message}`),
            { ...facts, before, after, warnings },
          );
        },
      ];
    },
  });
