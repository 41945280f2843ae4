// Assigns speakers to sentences. A change of speaker ends a sentence, except for a word or two at its edge that were
// assigned to the neighbour: turns start and end with sentences far more often than in the middle of them.
import type { TranscriptWord } from '../../../contract/transcript.ts';

/** Most words at the edge of a sentence that are not a separate turn. */
const strayWords = 2;
const straySeconds = 0.6;
/** After a pause they are a turn. */
const turnPauseSeconds = 0.3;

interface Run {
  speaker: number | undefined;
  readonly words: TranscriptWord[];
}

const spokenSeconds = (words: readonly TranscriptWord[]): number =>
  words.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);

const pauseBetween = (before: Run, after: Run): number =>
  after.words[0]!.startSeconds - before.words.at(-1)!.endSeconds;

/** Divides the words between two full stops where the speaker changes. Words keep their speakers. */
export function splitBySpeaker(words: readonly TranscriptWord[]): TranscriptWord[][] {
  const runs: Run[] = [];
  for (const word of words) {
    const last = runs.at(-1);
    // A word without speaker belongs to its neighbour's.
    if (last && (word.speaker === undefined || last.speaker === undefined || last.speaker === word.speaker)) {
      last.words.push(word);
      last.speaker ??= word.speaker;
    } else runs.push({ speaker: word.speaker, words: [word] });
  }
  return joinStrays(runs).map((run) => run.words);
}

function joinStrays(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const [index, run] of runs.entries()) {
    const before = joined.at(-1);
    const after = runs[index + 1];
    const isStray = run.words.length <= strayWords && spokenSeconds(run.words) < straySeconds;
    const same = before !== undefined && before.speaker === run.speaker;
    const goesBack =
      before !== undefined &&
      isStray &&
      pauseBetween(before, run) < turnPauseSeconds &&
      // Nearer to the following words, it starts those.
      (after === undefined ||
        after.speaker === before.speaker ||
        pauseBetween(before, run) <= pauseBetween(run, after));
    if (before && (same || goesBack)) before.words.push(...run.words);
    else if (before && isStrayRun(before) && pauseBetween(before, run) < turnPauseSeconds) {
      before.words.push(...run.words);
      before.speaker = run.speaker;
    } else joined.push({ speaker: run.speaker, words: [...run.words] });
  }
  return joined;
}

const isStrayRun = (run: Run): boolean => run.words.length <= strayWords && spokenSeconds(run.words) < straySeconds;

/** Who spoke longest in it, the first of equals; null where no word has a speaker. */
export function majoritySpeaker(words: readonly TranscriptWord[]): number | null {
  const seconds = new Map<number, number>();
  for (const word of words)
    if (word.speaker !== undefined)
      seconds.set(word.speaker, (seconds.get(word.speaker) ?? 0) + word.endSeconds - word.startSeconds + 1e-6);
  let most: number | null = null;
  for (const [speaker, spoken] of seconds) if (most === null || spoken > seconds.get(most)!) most = speaker;
  return most;
}
