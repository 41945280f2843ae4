// Cuts by another recording's transcript would go through the middle of words: such transcripts are refused, by their
// length, by their pauses, and by a look at a few words.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Transcript, TranscriptWord } from '../../contract/transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import { verdictOnWords } from '../align/sounds-of-words.ts';
import { fitsPauses } from '../fillers/fits-pauses.ts';
import { recognise } from '../recognise/recognise.ts';
import { openSpeech, speechRate, type SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';

/** Containers round lengths, and encoders add silence. */
const mostSecondsMore = 1;
/** A transcript of exactly this length is this recording's, where its words lie between the pauses. */
const sameSeconds = 0.002;
/** A stretch that a recogniser reads at once. */
const stretchSeconds = 20;
/** Fewer words decide nothing. */
const fewestWords = 6;

interface Context {
  /** An existing folder for what is heard again. */
  readonly workDir: string;
  readonly modelsDir: string | undefined;
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
}

/** @throws EarshotError bad_request for a transcript of another recording */
export async function refuseOther(context: Context, sound: SpeechSound, transcript: Transcript): Promise<void> {
  const { durationSeconds } = sound;
  const words = transcript.sentences.flatMap((sentence) => sentence.words);
  const lastEnd = words.reduce((last, { endSeconds }) => Math.max(last, endSeconds), 0);
  if (lastEnd > durationSeconds + mostSecondsMore)
    throw refusal(`has words up to ${lastEnd.toFixed(1)} s and the recording ends at ${durationSeconds.toFixed(1)} s`);
  const stretch = densest(words, durationSeconds);
  if (stretch.length < fewestWords) return;
  const isSameLength = Math.abs(transcript.durationSeconds - durationSeconds) <= sameSeconds;
  // Hearing a stretch again takes a recogniser some seconds.
  if (isSameLength && fitsPauses(sound, words)) return;
  const from = Math.max(0, (stretch[0]?.startSeconds ?? 0) - 0.5);
  const to = Math.min(durationSeconds, (stretch.at(-1)?.endSeconds ?? 0) + 0.5);
  const heard = await wordsIn(context, sound, from, to);
  if (heard === null || (await verdictOnWords(stretch, heard, transcript.language, to - from)) !== 'not spoken') return;
  const quoted = (list: readonly { readonly text: string }[]): string =>
    `"${list
      .slice(0, fewestWords)
      .map(({ text }) => text)
      .join(' ')}"`;
  throw refusal(`has ${quoted(stretch)} at ${from.toFixed(1)} s where the recording says ${quoted(heard)}`);
}

const refusal = (what: string): EarshotError =>
  new EarshotError('bad_request', `Expected a transcript of this recording but received one that ${what}`, {
    nextAction: 'Name the transcript of this recording, or leave it out: the recording is then transcribed.',
    details: { field: 'transcript_file_id', expected: 'a transcript of this recording' },
  });

/** The words of the stretch that has the most of them. */
function densest(words: readonly TranscriptWord[], durationSeconds: number): TranscriptWord[] {
  const timed = words
    .filter(({ startSeconds, endSeconds }) => startSeconds < durationSeconds && endSeconds > startSeconds)
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
  let [best, most] = [0, 0];
  for (let from = 0, to = 0; from < timed.length; from += 1) {
    const end = (timed[from] as TranscriptWord).startSeconds + stretchSeconds;
    while ((timed[to]?.endSeconds ?? Infinity) <= end) to += 1;
    if (to - from > most) [best, most] = [from, to - from];
  }
  return timed.slice(best, best + most);
}

/** null where no recogniser can tell. */
async function wordsIn(
  { workDir, modelsDir, fanOut, signal }: Context,
  sound: SpeechSound,
  from: number,
  to: number,
): Promise<SpokenWord[] | null> {
  const path = join(workDir, 'stretch.f32');
  const file = openSync(path, 'w');
  try {
    const begin = Math.floor(from * speechRate);
    const samples = sound.read(begin, Math.min(sound.frames, Math.ceil(to * speechRate)) - begin);
    writeSync(file, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  } finally {
    closeSync(file);
  }
  const part = openSpeech(path);
  try {
    const { regions } = await recognise(part, {
      verbatim: true,
      modelsDir,
      fanOut,
      signal,
      onProgress: () => undefined,
    });
    const words: SpokenWord[] = [];
    for await (const region of regions) words.push(...region.words);
    return words;
  } catch (thrown) {
    if (thrown instanceof EarshotError && thrown.code === 'tool_unavailable') return null;
    throw thrown;
  } finally {
    part.close();
  }
}
