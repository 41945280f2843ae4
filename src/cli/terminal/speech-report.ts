// What people read of transcripts and of cuts.
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { formatClock } from './clock.ts';
import { formatSeconds } from './display.ts';

const count = (number: unknown, one: string, many = `${one}s`): string =>
  `${Number(number)} ${Number(number) === 1 ? one : many}`;

const languageName = (code: unknown): string => {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(String(code)) ?? String(code);
  } catch {
    return String(code);
  }
};

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** "English, 812 words, 2 speakers". */
export function transcriptFacts({ language, words, speakerCount }: JsonObject): string {
  const speakers = typeof speakerCount === 'number' ? [count(speakerCount, 'speaker')] : [];
  return [languageName(language), count(words, 'word'), ...speakers].join(', ');
}

/** Sentences that are finished, a line each, with when and who. */
export function describePart({ sentences }: JsonObject): string {
  return ((sentences ?? []) as JsonObject[])
    .map(({ startSeconds, speaker, text: said }) => {
      const who = typeof speaker === 'number' ? `Speaker ${speaker}: ` : '';
      return `[${formatClock(Number(startSeconds))}] ${who}${text(said)}`;
    })
    .join('\n');
}

/** How much was cut out; of a dry run what would be, a line each. */
export function cutFacts({ cuts, cutsMade, removedSeconds }: JsonObject): string {
  const all = (cuts ?? []) as JsonObject[];
  if (cutsMade !== undefined) return `${count(cutsMade, 'cut')}, ${formatSeconds(Number(removedSeconds))} shorter`;
  const lines = all.map(({ id, kind, text: said, startSeconds, endSeconds }) => {
    const what =
      kind === 'unwritten_filler' ? 'filler that the transcript does not hold' : `${text(kind)} "${text(said)}"`;
    return `  ${text(id)}  ${formatClock(Number(startSeconds))} to ${formatClock(Number(endSeconds))}  ${what}`;
  });
  return [count(all.length, 'cut'), ...lines].join('\n');
}
