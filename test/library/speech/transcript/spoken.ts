// Words with times out of written text: what recognisers and aligners would hand over.
import type { TranscriptWord } from '../../../../src/library/contract/transcript.ts';

/**
 * Words in a row, 0.25 s each with 0.05 s between. `(0.8)` is a pause of so many seconds, `[2]` a change to that
 * speaker. In scripts without blanks write blanks between the words all the same.
 */
export function spoken(text: string, from = 0): TranscriptWord[] {
  const words: TranscriptWord[] = [];
  let at = from;
  let speaker: number | undefined;
  for (const token of text.split(/[ \n]+/)) {
    const pause = /^\((\d*\.?\d+)\)$/.exec(token)?.[1];
    const voice = /^\[(\d+)\]$/.exec(token)?.[1];
    if (pause !== undefined) at += Number(pause) - 0.05;
    else if (voice !== undefined) speaker = Number(voice);
    else if (token !== '') {
      words.push({
        text: token,
        startSeconds: at,
        endSeconds: at + 0.25,
        ...(speaker === undefined ? {} : { speaker }),
      });
      at += 0.3;
    }
  }
  return words;
}
