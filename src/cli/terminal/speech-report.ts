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

type CutKind = RemoveFillersResult['cuts'][number]['kind'];

const kindNames: Record<CutKind, readonly [one: string, many: string]> = {
  filler: ['filler', 'fillers'],
  repeat: ['repeat', 'repeats'],
  unwritten_filler: ['filler missing from the transcript', 'fillers missing from the transcript'],
  breath: ['breath', 'breaths'],
  mouth_click: ['mouth click', 'mouth clicks'],
  cough: ['cough', 'coughs'],
  stutter: ['stutter', 'stutters'],
};

/** How much was cut, and of which kinds where others than fillers were asked for; for a dry run, one cut per line. */
export function cutFacts({
  cuts,
  cutsMade,
  softened = 0,
  removedSeconds = 0,
  byKind,
  kept,
}: RemoveFillersResult): string {
  if (cutsMade !== undefined) {
    const softer = softened > 0 ? `, ${count(softened, 'sound')} muted or lowered` : '';
    return `${count(cutsMade, 'cut')}${softer}, ${formatSeconds(removedSeconds)} shorter${kindFacts(byKind, kept)}`;
  }
  const lines = cuts.map(({ id, kind, text: said, startSeconds, endSeconds, action }) => {
    const what = said === '' ? kindNames[kind][0] : `${kindNames[kind][0]} "${said}"`;
    const doing = action === undefined || action === 'cut' ? '' : `, ${action}`;
    return `  ${id}  ${formatClock(startSeconds)} to ${formatClock(endSeconds)}  ${what}${doing}`;
  });
  return [`${count(cuts.length, 'cut')}${kindFacts(byKind, kept)}`, ...lines].join('\n');
}

/** " (3 breaths, 1 cough; 2 left beside words)"; '' where only fillers are looked for. */
function kindFacts(byKind: RemoveFillersResult['byKind'], kept: RemoveFillersResult['kept']): string {
  if (byKind === undefined) return '';
  const kinds = (Object.keys(kindNames) as CutKind[]).flatMap((kind) => {
    const many = byKind[kind] ?? 0;
    return many === 0 ? [] : [`${many} ${kindNames[kind][many === 1 ? 0 : 1]}`];
  });
  const left = kept === undefined || kept.length === 0 ? [] : [`${kept.length} left beside words`];
  const all = [...(kinds.length === 0 ? [] : [kinds.join(', ')]), ...left];
  return all.length === 0 ? '' : ` (${all.join('; ')})`;
}
