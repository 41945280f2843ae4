// Transcripts and cuts as text.
import type { JsonObject, JsonValue } from '../../library/core/json.ts';
import { formatClock } from './clock.ts';
import type { RemoveFillersResult } from '../../library/tools/remove_fillers/result.ts';
import type { TranscribeAudioResult } from '../../library/tools/transcribe_audio/result.ts';
import { formatSeconds } from './display.ts';
import { count } from './values.ts';

export const languageName = (code: unknown): string => {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(String(code)) ?? String(code);
  } catch {
    return String(code);
  }
};

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** "English, 812 words, 2 speakers". */
export function transcriptFacts({ language, translatedFrom, words, speakerCount }: TranscribeAudioResult): string {
  const speakers = speakerCount === null ? [] : [count(speakerCount, 'speaker')];
  const from = translatedFrom === undefined ? '' : ` from ${languageName(translatedFrom)}`;
  return [`${languageName(language)}${from}`, count(words, 'word'), ...speakers].join(', ');
}

/** Finished sentences, one per line, with time and speaker. */
export function describePart({ sentences }: JsonObject): string {
  return ((sentences ?? []) as JsonObject[])
    .map(({ startSeconds, speaker, text: said }) => {
      const who = typeof speaker === 'number' ? `Speaker ${speaker}: ` : '';
      return `[${formatClock(Number(startSeconds))}] ${who}${text(said)}`;
    })
    .join('\n');
}

/** How much was cut; for a dry run, the proposed cuts, one per line. */
export function cutFacts({ cuts, cutsMade, removedSeconds = 0 }: RemoveFillersResult): string {
  if (cutsMade !== undefined) return `${count(cutsMade, 'cut')}, ${formatSeconds(removedSeconds)} shorter`;
  const lines = cuts.map(({ id, kind, text: said, startSeconds, endSeconds }) => {
    const what = kind === 'unwritten_filler' ? 'filler missing from the transcript' : `${kind} "${said}"`;
    return `  ${id}  ${formatClock(startSeconds)} to ${formatClock(endSeconds)}  ${what}`;
  });
  return [count(cuts.length, 'cut'), ...lines].join('\n');
}
