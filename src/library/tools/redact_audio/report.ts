// What was taken out and what the second reading says, for people.
import { count, formatClock, formatSeconds } from '../../core/readable.ts';
import type { RedactAudioResult } from './result.ts';
import { kindNames, kindsInWords, verdictOf } from './rules.ts';

/** The report that goes with the recording: it names times and kinds, and nothing of what was said. */
export function redactionReport(name: string, result: RedactAudioResult): string {
  const { places, left = [], silencedSeconds, durationSeconds, recogniser, texts } = result;
  const at = ({ startSeconds, endSeconds }: { startSeconds: number; endSeconds: number }): string =>
    `${formatClock(startSeconds)} to ${formatClock(endSeconds)}`;
  const lines = places.map((place) => {
    const doubt = place.checked === false ? ', whose check digit does not hold' : '';
    const kept = place.keep === true ? ', kept by the plan' : '';
    const later = place.reading === undefined ? '' : `, found by reading ${place.reading}`;
    return `  ${at(place)}  ${kindNames[place.kind][0]}${doubt}${kept}${later}`;
  });
  const changed = texts === undefined ? [] : [textsInWords(texts)];
  return [
    `Redaction of ${name}`,
    '',
    `Taken out: ${kindsInWords(result)}; ${formatSeconds(silencedSeconds)} of ${formatSeconds(durationSeconds)}`,
    ...lines,
    ...changed,
    '',
    `The result was ${verdictOf(result)} (${recogniser ?? 'no recogniser'}).`,
    ...left.map((one) => `  ${one.where === 'sound' ? at(one) : `in the ${one.where}`}  ${kindNames[one.kind][0]}`),
    '',
    'What a recogniser does not hear or understand it does not find: listen to the result where it matters.',
    '',
  ].join('\n');
}

function textsInWords({ words, captions, subtitles, tags, chapters }: NonNullable<RedactAudioResult['texts']>): string {
  const parts = [
    count(words, 'word of the transcript', 'words of the transcript'),
    ...(captions > 0 ? [count(captions, 'caption')] : []),
    ...(subtitles > 0 ? [count(subtitles, 'embedded subtitle')] : []),
    ...(tags > 0 ? [count(tags, 'tag')] : []),
    ...(chapters > 0 ? [count(chapters, 'title of a chapter', 'titles of chapters')] : []),
  ];
  return `Changed with it: ${parts.join(', ')}`;
}
