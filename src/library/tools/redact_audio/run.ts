import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sought } from '../../contract/sought.ts';
import { textFormats } from '../../contract/text-files.ts';
import type { Transcript } from '../../contract/transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { TimeRange } from '../../core/time-range.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { probe } from '../../media/read/probe.ts';
import { processedLength } from '../../media/read/recording-length.ts';
import { plannedFile, stemOf } from '../../media/write/output.ts';
import { blankText, blankTranscript } from '../../speech/redact/blank-text.ts';
import {
  grown,
  joinedStretches,
  type Place,
  placesIn,
  placesOfRanges,
  placesOfSpeakers,
  orderedWords,
} from '../../speech/redact/places.ts';
import { type Finder, openFinder } from '../../speech/redact/sought.ts';
import { extractSpeech, type SpeechSound } from '../../speech/speech-sound.ts';
import { notUnderstood } from '../../speech/transcribe/not-understood.ts';
import { toTranscriptJson } from '../../speech/transcript/write/json.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import { blankCaptions, readCaptions } from './captions.ts';
import { cleanLabels } from './labels.ts';
import { firstReading, readAgain } from './listen.ts';
import type { RedactAudioContext } from './options.ts';
import { readPlan, type RedactionPlan } from './plan-file.ts';
import { openRendering, type Rendering, type Written } from './render.ts';
import { redactedName } from './redacted-name.ts';
import { redactionReport } from './report.ts';
import type { LeftPlace, RedactAudioResult, RedactedPlace } from './result.ts';

/** A place, and the reading that found it. */
interface FoundPlace extends Place {
  readonly reading: number;
  readonly keep: boolean;
}

interface Work {
  readonly facts: MediaFacts;
  readonly transcript: Transcript;
  /** Of the first reading; null: a transcript was given. */
  readonly recogniser: string | null;
  readonly finder: Finder;
  readonly sought: Sought;
  readonly places: readonly FoundPlace[];
}

export async function run(context: RedactAudioContext): Promise<RunResult<RedactAudioResult>> {
  const { inputs, options, signal } = context;
  const plan = inputs.plan_file_id === undefined ? null : readPlan(inputs.plan_file_id.path);
  // Read first, since an hour of listening for a file that cannot be read helps no one.
  const captions = inputs.captions_file_id === undefined ? null : readCaptions(inputs.captions_file_id.path);
  const sought = soughtOf(context, plan);
  const facts = probe(inputs.file_id.path);
  const sound = await extractSpeech(facts, context.workDir, {
    signal,
    onProgress: context.pass('reading', ['transcribing', 'placing words', ...(options.find_only ? [] : laterStages)]),
    warn: (warning) => context.warn(warning),
  });
  try {
    const { transcript, recogniser } = await firstReading(context, sound, options.find_only ? [] : laterStages);
    const finder = await openFinder(sought, transcript.language);
    const places = plan === null ? firstPlaces(context, transcript, finder, sound) : ofPlan(plan, sound);
    const work: Work = { facts, transcript, recogniser, finder, sought, places };
    if (options.find_only) return listed(work, sound);
    await warnOfUnheard(context, sound, transcript);
    return await redact(context, work, sound, captions);
  } finally {
    sound.close();
  }
}

const laterStages = ['measuring', 'writing', 'reading', 'transcribing', 'placing words'] as const;

/** What is looked for; a plan says it where the options do not. */
function soughtOf({ options }: RedactAudioContext, plan: RedactionPlan | null): Sought {
  const { words, patterns, match } = options;
  if (words !== undefined || patterns !== undefined || plan === null)
    return { words: words ?? [], patterns: patterns ?? [], match };
  return plan.sought;
}

const guardOf = ({ options }: RedactAudioContext): { beforeSeconds: number; afterSeconds: number } => ({
  beforeSeconds: options.guard_ms / 1000,
  afterSeconds: options.guard_ms / 1000,
});

function firstPlaces(
  context: RedactAudioContext,
  transcript: Transcript,
  finder: Finder,
  { durationSeconds }: SpeechSound,
): FoundPlace[] {
  const { speaker_numbers: speakers = [], ranges = [] } = context.options;
  const guard = guardOf(context);
  const words = orderedWords(transcript);
  const known = new Set(words.map(({ speaker }) => speaker));
  const unknown = speakers.find(
    (speaker) => !known.has(speaker) && !transcript.turns?.some((turn) => turn.speaker === speaker),
  );
  if (unknown !== undefined)
    throw new EarshotError(
      'bad_request',
      `Expected numbers of speakers of this recording but ${unknown} says nothing`,
      {
        nextAction: 'Transcribe the recording with speaker_labels, and take numbers from there.',
        details: { field: 'speaker_numbers', received: unknown },
      },
    );
  return [
    ...placesIn(words, finder, guard, durationSeconds),
    ...placesOfSpeakers(transcript, words, speakers, guard, durationSeconds),
    ...placesOfRanges(ranges, durationSeconds),
  ].map((place) => ({ ...place, reading: 1, keep: false }));
}

const ofPlan = ({ places }: RedactionPlan, { durationSeconds }: SpeechSound): FoundPlace[] =>
  places
    .filter(({ startSeconds }) => startSeconds < durationSeconds)
    .map((place) => ({ ...place, endSeconds: Math.min(durationSeconds, place.endSeconds), reading: 1 }));

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const lengthOf = (ranges: readonly TimeRange[]): number =>
  ranges.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);

/** @param saysText does the report say what was said? */
function shownPlaces(places: readonly FoundPlace[], saysText: boolean): RedactedPlace[] {
  return places
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .map((place, index) => ({
      id: `r${index + 1}`,
      kind: place.kind,
      ...(saysText ? { text: place.text } : {}),
      ...(place.checked === null ? {} : { checked: place.checked }),
      startSeconds: rounded(place.startSeconds),
      endSeconds: rounded(place.endSeconds),
      ...(place.keep ? { keep: true } : {}),
      ...(place.reading > 1 ? { reading: place.reading } : {}),
    }));
}

const takenOf = (places: readonly FoundPlace[]): TimeRange[] => joinedStretches(places.filter(({ keep }) => !keep));
const keptOf = (places: readonly FoundPlace[]): TimeRange[] => joinedStretches(places.filter(({ keep }) => keep));

function common({ transcript, recogniser }: Work, places: readonly FoundPlace[], saysText: boolean, seconds: number) {
  const taken = places.filter(({ keep }) => !keep);
  return {
    language: transcript.language,
    ...(recogniser === null ? {} : { recogniser }),
    places: shownPlaces(places, saysText),
    byKind: Object.fromEntries(
      [...new Set(taken.map(({ kind }) => kind))].map((kind) => [
        kind,
        taken.filter((one) => one.kind === kind).length,
      ]),
    ),
    silencedSeconds: rounded(lengthOf(takenOf(places))),
    durationSeconds: rounded(seconds),
  };
}

const listed = (work: Work, { durationSeconds }: SpeechSound): RunResult<RedactAudioResult> => ({
  outputs: [],
  result: { ...common(work, work.places, true, durationSeconds), sought: work.sought },
  processedSeconds: durationSeconds,
});

/** The output is read at most this often: what a reading finds is taken out, too, and the rest is reported. */
const mostReadings = 3;

async function redact(
  context: RedactAudioContext,
  work: Work,
  sound: SpeechSound,
  captions: ReturnType<typeof readCaptions> | null,
): Promise<RunResult<RedactAudioResult>> {
  const { transcript, finder } = work;
  const spoken = orderedWords(transcript);
  const rendering = await openRendering(
    context,
    work.facts,
    sound,
    spoken,
    (taken) => (range, text) => !taken.some((one) => touches(one, range)) && blankText(text, finder) === null,
    context.pass('measuring', laterStages.slice(1)),
  );
  for (const warning of rendering.plan.warnings) context.warn(warning);
  const { places, written, left, readings, labels, recogniser } = await untilNoneIsLeft(context, work, rendering);
  for (const warning of written.warnings) context.warn(warning);
  const name = redactedName(context.inputs.file_id.name, finder);
  const blanked = blankTranscript(transcript, takenOf(places), keptOf(places), finder);
  const shown = captions === null ? null : blankCaptions(captions, takenOf(places), keptOf(places), finder);
  const result: RedactAudioResult = {
    ...common({ ...work, recogniser }, places, false, rendering.durationSeconds),
    changed: written.changed.map(({ startSeconds, endSeconds }) => ({ startSeconds, endSeconds })),
    readings,
    left,
    texts: {
      words: blanked.words,
      captions: shown?.changed ?? 0,
      subtitles: written.cuesDropped,
      tags: labels.tags,
      chapters: labels.chapters,
    },
  };
  if (left.length > 0)
    context.warn({
      code: 'redaction_incomplete',
      message: `Of what was to be taken out, the recogniser still finds ${left.length} in the result: listen to it there`,
    });
  return {
    outputs: [
      plannedFile(rendering.plan, written.path, name, written.durationSeconds),
      await textOutput(context, 'transcript', `${stemOf(name)}.json`, toTranscriptJson(blanked.transcript)),
      ...(captions === null || shown === null
        ? []
        : [await textOutput(context, 'captions', `${stemOf(name)}.${captions.format}`, shown.text)]),
      await textOutput(context, 'report', `${stemOf(name)}.txt`, redactionReport(name, result)),
    ],
    result,
    processedSeconds: await processedLength(rendering.plan, work.facts, rendering.durationSeconds, context.signal),
  };
}

const touches = (a: TimeRange, b: TimeRange): boolean => a.startSeconds < b.endSeconds && b.startSeconds < a.endSeconds;

interface Finished {
  readonly places: readonly FoundPlace[];
  readonly written: Written;
  readonly left: readonly LeftPlace[];
  readonly readings: number;
  readonly labels: Awaited<ReturnType<typeof cleanLabels>>;
  readonly recogniser: string;
}

/** Writes and reads again; what a reading still finds is taken out as well. */
async function untilNoneIsLeft(context: RedactAudioContext, work: Work, rendering: Rendering): Promise<Finished> {
  const { finder, transcript } = work;
  const spoken = orderedWords(transcript);
  let places = work.places;
  for (let reading = 1; ; reading += 1) {
    const written = await rendering.write(
      `output-${reading}`,
      takenOf(places),
      context.pass('writing', laterStages.slice(2)),
    );
    const labels = await cleanLabels(written.path, written.readBack ?? probe(written.path), finder, {
      workDir: context.workDir,
      signal: context.signal,
      onWarning: () => undefined,
    });
    const heard = await readAgain(context, labels.facts, transcript.language, reading);
    const kept = keptOf(places);
    const found = stillThere(context, work, heard.transcript, places, rendering.durationSeconds).filter(
      (place) => !kept.some((one) => touches(one, place)),
    );
    if (found.length === 0 || reading === mostReadings) {
      const left: LeftPlace[] = found.map(({ kind, text, startSeconds, endSeconds }) => ({
        kind,
        where: 'sound',
        text,
        startSeconds: rounded(startSeconds),
        endSeconds: rounded(endSeconds),
      }));
      return {
        places,
        written,
        left: [...left, ...labels.left],
        readings: reading,
        labels,
        recogniser: heard.recogniser,
      };
    }
    const into = intoNeighbourSeconds[reading - 1] ?? growSeconds;
    places = withFound(places, found, reading + 1, (place) =>
      grown(place, spoken, { bySeconds: growSeconds, intoSeconds: into }, rendering.durationSeconds),
    );
  }
}

/**
 * A word that is read again where it was taken had its ends outside: the place grows by so much on either side. Into
 * words beside it little at first, since most places need no more.
 */
const growSeconds = 0.06;
const intoNeighbourSeconds = [0.02, growSeconds] as const;

/** Places that grow where something was read at them again, and new ones. */
function withFound(
  places: readonly FoundPlace[],
  found: readonly Place[],
  reading: number,
  grow: (place: FoundPlace) => FoundPlace,
): FoundPlace[] {
  const isAt = (place: FoundPlace) => (one: Place) => !place.keep && touches(one, place);
  const longer = places.map((place) => (found.some(isAt(place)) ? grow(place) : place));
  const elsewhere = found.filter((one) => !places.some((place) => isAt(place)(one)));
  return [...longer, ...elsewhere.map((place) => ({ ...place, reading, keep: false }))];
}

/** Edges of words are unsure by so much: a word that is this far in a stretch is heard in it. */
const insideSeconds = 0.1;

/** What is sought, and words where nothing should be said. */
function stillThere(
  context: RedactAudioContext,
  { finder }: Work,
  heard: Transcript,
  places: readonly FoundPlace[],
  durationSeconds: number,
): Place[] {
  const words = orderedWords(heard);
  const found = placesIn(words, finder, guardOf(context), durationSeconds);
  const silent = joinedStretches(places.filter(({ kind, keep }) => !keep && (kind === 'speaker' || kind === 'range')));
  const inside = words
    .filter(({ startSeconds, endSeconds }) =>
      silent.some(
        (range) =>
          startSeconds >= range.startSeconds + insideSeconds &&
          endSeconds <= range.endSeconds - insideSeconds &&
          endSeconds > startSeconds,
      ),
    )
    .map(({ text, startSeconds, endSeconds }): Place => ({
      kind: 'range',
      text,
      checked: null,
      startSeconds,
      endSeconds,
    }));
  return [...found, ...inside];
}

async function warnOfUnheard(context: RedactAudioContext, sound: SpeechSound, transcript: Transcript): Promise<void> {
  const passages = await notUnderstood(sound, transcript, context);
  if (passages.length === 0) return;
  context.warn({
    code: 'speech_not_understood',
    message:
      `Somebody speaks in ${passages.length} passages of which no word was understood, the first at ` +
      `${(passages[0]?.startSeconds ?? 0).toFixed(1)} s: what is said there was not found. Listen to it`,
  });
}

async function textOutput(
  { workDir }: RedactAudioContext,
  role: string,
  filename: string,
  content: string,
): Promise<RunOutput> {
  const format = filename.slice(filename.lastIndexOf('.') + 1) as keyof typeof textFormats;
  const path = join(workDir, `${role}.${format}`);
  await writeFile(path, content);
  return { path, filename, contentType: textFormats[format].contentType, format, durationSeconds: null, role };
}
