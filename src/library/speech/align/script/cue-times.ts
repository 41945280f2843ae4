// The times in subtitles: used where they agree with what was found by sound, ignored where they do not.
import type { TimeRange } from '../../../core/time-range.ts';
import type { ScriptPart, ScriptWord } from './script-words.ts';

/** Number of neighbouring cues on either side whose median shift counts: subtitles may drift against a recording. */
const neighbours = 10;
const agreeSeconds = 1;
const leastAgreeing = 0.7;
const fewestCues = 3;

interface CueWord extends TimeRange {
  /** Position within the cue by letters, as if all took equally long. */
  readonly part: number;
}

/**
 * Approximate times of the words by their cues, corrected by the shift of nearby cues.
 * @param places approximate times of found words, null for others
 * @returns null for words without a cue, and for all of them when the cues are wrong
 */
export function knownByCues(
  parts: readonly ScriptPart[],
  words: readonly Pick<ScriptWord, 'part' | 'spoken'>[],
  places: readonly (TimeRange | null)[],
): (TimeRange | null)[] {
  const none = words.map(() => null);
  const expected = wordsInCues(parts, words);
  const shifts = shiftsOfCues(parts.length, expected, places);
  const known = shifts.flatMap((shift, part) => (shift === null ? [] : [{ part, shift }]));
  if (known.length < fewestCues) return none;
  const common = new Map(
    known.map(({ part }, index) => {
      const near = known.slice(Math.max(0, index - neighbours), index + neighbours + 1).map(({ shift }) => shift);
      return [part, near.toSorted((a, b) => a - b)[near.length >> 1] ?? 0];
    }),
  );
  const agreeing = known.filter(({ part, shift }) => Math.abs(shift - (common.get(part) ?? 0)) <= agreeSeconds);
  if (agreeing.length < leastAgreeing * known.length) return none;
  let last = common.get(known[0]?.part ?? 0) ?? 0;
  return expected.map((word) => {
    if (!word) return null;
    last = common.get(word.part) ?? last;
    return { startSeconds: word.startSeconds + last, endSeconds: word.endSeconds + last };
  });
}

function wordsInCues(
  parts: readonly ScriptPart[],
  words: readonly Pick<ScriptWord, 'part' | 'spoken'>[],
): (CueWord | null)[] {
  const letters = parts.map(() => 0);
  for (const { part, spoken } of words) letters[part] = (letters[part] ?? 0) + spoken.length;
  const before = parts.map(() => 0);
  return words.map(({ part, spoken }) => {
    const { startSeconds = null, endSeconds = null } = parts[part] ?? {};
    if (startSeconds === null || endSeconds === null) return null;
    const at = (share: number): number => startSeconds + (share / (letters[part] || 1)) * (endSeconds - startSeconds);
    const from = before[part] ?? 0;
    before[part] = from + spoken.length;
    return { part, startSeconds: at(from), endSeconds: at(from + spoken.length) };
  });
}

/** Median delay of each cue's words against the cue; null where none was found. */
function shiftsOfCues(
  parts: number,
  expected: readonly (CueWord | null)[],
  places: readonly (TimeRange | null)[],
): (number | null)[] {
  const shifts: number[][] = Array.from({ length: parts }, () => []);
  for (const [index, word] of expected.entries()) {
    const place = places[index];
    if (!word || !place) continue;
    const middle = (span: TimeRange): number => (span.startSeconds + span.endSeconds) / 2;
    shifts[word.part]?.push(middle(place) - middle(word));
  }
  return shifts.map((list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? null);
}
