// Captions of one to three words, as short videos have them: each is there with its words and gone with them.
import type { Transcript } from '../../../contract/transcript.ts';
import type { Caption } from './caption.ts';
import { captionLimits } from './limits.ts';
import { type CaptionPiece, captionRuns } from './pieces.ts';

const mostWords = 3;
/** After such a pause a caption begins anew. */
const pauseSeconds = 0.3;
/** A caption stays until the next one, or so long after its last word. */
const staySeconds = 0.4;

/** In order of their start, of one line each, with their words. */
export function shortCaptions(transcript: Transcript): Caption[] {
  const limits = captionLimits(transcript.language, 'shorts');
  const groups: { speaker: number | null; pieces: CaptionPiece[] }[] = [];
  for (const { speaker, pieces } of captionRuns(transcript, limits)) {
    let group: CaptionPiece[] | null = null;
    let cells = 0;
    for (const piece of pieces) {
      const last = group?.at(-1);
      const wider = cells + piece.cells + (piece.spaced ? 1 : 0);
      const goesOn =
        last !== undefined &&
        group !== null &&
        group.length < mostWords &&
        !last.endsSentence &&
        wider <= limits.lineCells &&
        piece.startSeconds - last.endSeconds < pauseSeconds;
      if (goesOn) {
        group?.push(piece);
        cells = wider;
      } else {
        group = [piece];
        ({ cells } = piece);
        groups.push({ speaker, pieces: group });
      }
    }
  }
  groups.sort((a, b) => (a.pieces[0]?.startSeconds ?? 0) - (b.pieces[0]?.startSeconds ?? 0));
  return groups.map(({ speaker, pieces }, index) => {
    const words = pieces.map(({ text, startSeconds, endSeconds, spaced }, at) => ({
      text,
      startSeconds,
      endSeconds,
      line: 0,
      spaced: spaced && at > 0,
    }));
    const startSeconds = milliseconds(Math.max(0, words[0]?.startSeconds ?? 0));
    const next = groups[index + 1]?.pieces[0]?.startSeconds ?? Number.POSITIVE_INFINITY;
    const end = Math.min((words.at(-1)?.endSeconds ?? 0) + staySeconds, next);
    return {
      startSeconds,
      endSeconds: Math.max(startSeconds + 0.001, milliseconds(end)),
      lines: [words.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join('')],
      speaker,
      words,
    };
  });
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
