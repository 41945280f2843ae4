// Rich Transcription Time Marked (NIST RT-09): who speaks when, as programs that compare speakers read it.
import type { Transcript } from '../../../contract/transcript.ts';
import { type CaptionOptions, speakerName } from './subtitles.ts';

/** Words of one speaker this close to each other are one turn. */
const turnPauseSeconds = 0.5;

/** A line for each turn, in order of their starts; empty without speaker labels. The format has no spaces in names. */
export function toRttm({ sentences }: Transcript, options: CaptionOptions = {}): string {
  const turns: { speaker: number; startSeconds: number; endSeconds: number }[] = [];
  const last = new Map<number, { speaker: number; startSeconds: number; endSeconds: number }>();
  for (const { words, speaker: own } of sentences)
    for (const { speaker = own, startSeconds, endSeconds } of words) {
      if (speaker === null) continue;
      const before = last.get(speaker);
      if (before && startSeconds - before.endSeconds <= turnPauseSeconds)
        before.endSeconds = Math.max(before.endSeconds, endSeconds);
      else {
        const turn = { speaker, startSeconds, endSeconds };
        turns.push(turn);
        last.set(speaker, turn);
      }
    }
  const joined = (text: string): string => text.trim().replaceAll(/\s+/g, '_') || '<NA>';
  return turns
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .map(
      ({ speaker, startSeconds, endSeconds }) =>
        `SPEAKER ${joined(options.recording ?? 'recording')} 1 ${startSeconds.toFixed(3)} ` +
        `${(endSeconds - startSeconds).toFixed(3)} <NA> <NA> ${joined(speakerName(speaker, options))} <NA> <NA>\n`,
    )
    .join('');
}
