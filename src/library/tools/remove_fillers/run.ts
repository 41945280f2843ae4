import type { MediaFacts } from '../../media/facts.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../../core/errors/errors.ts';
import type { RunStage } from '../../core/progress/stages.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { shownName } from '../../core/checks/names.ts';
import { textFormats } from '../../contract/text-files.ts';
import type { Transcript, TranscriptWord } from '../../contract/transcript.ts';
import { keptFrames } from '../../edit/edit-list.ts';
import { keepOne } from '../../edit/keep-encoding.ts';
import { soften, softFadeSeconds } from '../../edit/soften.ts';
import { writeEdited } from '../../edit/write.ts';
import { countFrames } from '../../media/read/length.ts';
import { probe } from '../../media/read/probe.ts';
import { measurePicture, processedLength } from '../../media/read/recording-length.ts';
import { planOutput, plannedFile, stemOf } from '../../media/write/output.ts';
import { fillersOf } from '../../speech/fillers/filler-lists.ts';
import { extractSpeech, type SpeechSound } from '../../speech/speech-sound.ts';
import { refuseOther } from '../../speech/transcribe/other-transcript.ts';
import { transcribe } from '../../speech/transcribe/transcribe.ts';
import { toTranscriptJson } from '../../speech/transcript/write/json.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import { besideCuts, editsOf, shiftTranscript, softRangesOf } from './edits.ts';
import { type Offered, type OfferedCut, offeredCuts } from './offered.ts';
import type { RemoveFillersContext } from './options.ts';
import type { RemoveFillersResult } from './result.ts';

/** A word with its position in its transcript. */
interface NumberedWord extends TranscriptWord {
  readonly sentence: number;
  readonly word: number;
}

interface Written {
  readonly transcript: Transcript;
  readonly recogniser: string | null;
}

export async function run(context: RemoveFillersContext): Promise<RunResult<RemoveFillersResult>> {
  const { inputs, options, signal, pass } = context;
  const cutting = options.dry_run ? [] : (['measuring', 'cutting'] as const);
  const finding = ['finding fillers', ...cutting] as const;
  const isGiven = inputs.transcript_file_id !== undefined;
  const media = probe(inputs.file_id.path);
  const sound = await extractSpeech(media, context.workDir, {
    signal,
    onProgress: pass('reading', [...(isGiven ? [] : (['transcribing', 'placing words'] as const)), ...finding]),
  });
  try {
    const { transcript, recogniser } = await writtenDown(context, sound, finding);
    const language = options.language ?? transcript.language;
    if (fillersOf(language) === null)
      context.warn({
        code: 'no_filler_list',
        message: `There is no list of fillers for the language ${language}: only repeated words are found`,
      });
    const words = wordsOf(transcript, sound.durationSeconds);
    const offered = await offeredCuts(sound, words, options, {
      language,
      signal,
      onProgress: pass('finding fillers', cutting),
    });
    const cuts = chosenCuts(offered.cuts, options.cut_ids);
    const facts = {
      language,
      ...(recogniser === null ? {} : { recogniser }),
      ...factsOf(offered, options.dry_run ? offered.cuts : cuts, options.fillers !== 'cut'),
    };
    const written = recogniser === null ? null : besideCuts(transcript, words, offered.cuts);
    return options.dry_run
      ? await list(context, sound, facts, written)
      : await cut(context, { media, transcript, words, cuts, facts });
  } finally {
    sound.close();
  }
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** @param acts are fillers treated otherwise than by cutting? */
function factsOf(
  { cuts: all, kept }: Offered,
  listed: readonly OfferedCut[],
  acts: boolean,
): Omit<Facts, 'language' | 'recogniser'> {
  const times = ({ startSeconds, endSeconds }: TimeRange): TimeRange => ({
    startSeconds: rounded(startSeconds),
    endSeconds: rounded(endSeconds),
  });
  return {
    cutsFound: all.length,
    cuts: listed.map((cut) => {
      const { id, kind, text, action } = cut;
      return { id, kind, text, ...times(cut), ...(kept === null && !acts ? {} : { action }) };
    }),
    ...(kept === null
      ? {}
      : {
          byKind: Object.fromEntries(
            all.map(({ kind }) => [kind, all.filter((other) => other.kind === kind).length] as const),
          ),
          kept: kept.map((one) => ({ kind: one.kind, ...times(one), reason: one.reason })),
        }),
  };
}

/** @param after the passes that follow */
async function writtenDown(
  context: RemoveFillersContext,
  sound: SpeechSound,
  after: readonly RunStage[],
): Promise<Written> {
  const { inputs, options, signal, modelsDir, fanOut } = context;
  if (inputs.transcript_file_id !== undefined) {
    const { parseTranscript } = await import('../../contract/parse-transcript.ts');
    const transcript = parseTranscript(await readFile(inputs.transcript_file_id.path, 'utf8'));
    await refuseOther(context, sound, transcript);
    if (transcript.durationSeconds < sound.durationSeconds - 1)
      context.warn({
        code: 'transcript_ends_early',
        message:
          `The transcript covers ${transcript.durationSeconds.toFixed(1)} s and the recording has ` +
          `${sound.durationSeconds.toFixed(1)} s: it may belong to another recording`,
      });
    return { transcript, recogniser: null };
  }
  const { transcript, recogniser } = await transcribe(sound, {
    language: options.language,
    verbatim: true,
    speakerLabels: false,
    modelsDir,
    fanOut,
    signal,
    pass: context.pass,
    after,
  });
  return { transcript, recogniser: recogniser.id };
}

/** All words in the order of their starts, without those after the end of the recording (of a longer file). */
function wordsOf({ sentences }: Transcript, durationSeconds: number): NumberedWord[] {
  return sentences
    .flatMap(({ words }, sentence) => words.map((word, index) => ({ ...word, sentence, word: index })))
    .filter(({ startSeconds }) => startSeconds < durationSeconds)
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
}

function chosenCuts(cuts: readonly OfferedCut[], ids: readonly string[] | undefined): readonly OfferedCut[] {
  if (ids === undefined) return cuts;
  const known = new Set(cuts.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new EarshotError(
      'bad_request',
      `Expected cut_ids from a dry run of this transcript but received ${shownName(unknown)}`,
      {
        nextAction: 'Call with dry_run and the same transcript and options to see the ids.',
        details: { field: 'cut_ids', expected: `one of ${cuts.length} ids`, received: shownName(unknown) },
      },
    );
  const wanted = new Set(ids);
  return cuts.filter(({ id }) => wanted.has(id));
}

async function textOutput(
  context: RemoveFillersContext,
  role: string,
  filename: string,
  content: string,
): Promise<RunOutput> {
  const path = join(context.workDir, `${role}.json`);
  await writeFile(path, content);
  return {
    path,
    filename,
    contentType: textFormats.json.contentType,
    format: 'json',
    durationSeconds: null,
    role,
  };
}

/** @param transcript made by this run, for use with cut_ids; null where it was given */
async function list(
  context: RemoveFillersContext,
  sound: SpeechSound,
  facts: Facts,
  transcript: Transcript | null,
): Promise<RunResult<RemoveFillersResult>> {
  const stem = stemOf(context.inputs.file_id.name);
  const outputs = [await textOutput(context, 'cuts', `${stem}.cuts.json`, `${JSON.stringify(facts, null, 2)}\n`)];
  if (transcript !== null)
    outputs.push(await textOutput(context, 'transcript', `${stem}.json`, toTranscriptJson(transcript)));
  return { outputs, result: facts, processedSeconds: sound.durationSeconds };
}

type Facts = Pick<RemoveFillersResult, 'language' | 'recogniser' | 'cutsFound' | 'cuts' | 'byKind' | 'kept'>;

interface Cutting {
  readonly media: MediaFacts;
  readonly transcript: Transcript;
  readonly words: readonly NumberedWord[];
  readonly cuts: readonly OfferedCut[];
  readonly facts: Facts;
}

async function cut(context: RemoveFillersContext, work: Cutting): Promise<RunResult<RemoveFillersResult>> {
  const { signal } = context;
  const { name } = context.inputs.file_id;
  const { media, transcript, words, facts } = work;
  const { pictureEndSeconds } = await measurePicture(media, signal);
  const { frames } = await countFrames(media, {
    signal,
    pictureEndSeconds,
    onProgress: context.pass('measuring', ['cutting']),
  });
  const sampleRate = media.audio?.sampleRate ?? 0;
  let { cuts } = work;
  let edits = editsOf(cuts, sampleRate, frames);
  if (keptFrames(edits) === 0) {
    context.warn({ code: 'only_fillers', message: 'The recording holds only fillers, so nothing was removed' });
    cuts = [];
    edits = editsOf(cuts, sampleRate, frames);
  }
  const plan = planOutput(media, 'same');
  const writing = { signal, threads: context, onProgress: context.pass('cutting') };
  const packets = context.options.keep_encoding ? await keepOne(media, plan, edits, context.workDir, writing) : null;
  const stages = [soften(softRangesOf(cuts, sampleRate), Math.round(softFadeSeconds * sampleRate))];
  const written = packets ?? (await writeEdited(media, plan, edits, context.workDir, { ...writing, stages }));
  if (packets) edits = { ...edits, keeps: packets.keeps, crossfadeFrames: 0 };
  for (const warning of [...plan.warnings, ...written.warnings]) context.warn(warning);
  const shifted = toTranscriptJson(shiftTranscript(transcript, words, cuts, edits));
  return {
    outputs: [
      plannedFile(plan, written.path, name, written.durationSeconds),
      await textOutput(context, 'transcript', `${stemOf(name)}.json`, shifted),
    ],
    result: {
      ...facts,
      cutsMade: cuts.filter(({ action }) => action === 'cut').length,
      ...(facts.kept === undefined && context.options.fillers === 'cut'
        ? {}
        : { softened: cuts.filter(({ action }) => action !== 'cut').length }),
      removedSeconds: rounded((frames - written.frames) / sampleRate),
      inputSeconds: frames / sampleRate,
      outputSeconds: written.durationSeconds,
      ...(packets ? { edges: packets.edges } : {}),
    },
    processedSeconds: await processedLength(plan, media, frames / sampleRate, signal),
  };
}
