// Turns cuts into the rest of the recording and of its transcript.
import type { TimeRange } from '../../core/time-range.ts';
import type { Transcript, TranscriptSentence } from '../../contract/transcript.ts';
import { complementRanges, type EditList, timeMap } from '../../edit/edit-list.ts';
import type { FillerCut } from '../../speech/fillers/find-cuts.ts';
import { dropWords } from '../../speech/fillers/drop-words.ts';
import { joinWords } from '../../speech/transcript/join-words.ts';

/** Short enough not to double a syllable, long enough to join room tone smoothly. */
const crossfadeSeconds = 0.02;

/** @param frames of the recording */
export function editsOf(cuts: readonly FillerCut[], sampleRate: number, frames: number): EditList {
  const ranges = joinNeighbours(cuts).map(({ startSeconds, endSeconds }) => ({
    start: Math.round(startSeconds * sampleRate),
    end: Math.round(endSeconds * sampleRate),
  }));
  return {
    sampleRate,
    sourceFrames: frames,
    keeps: complementRanges(ranges, frames),
    crossfadeFrames: Math.round(crossfadeSeconds * sampleRate),
  };
}

/** Joins two cuts without a word between them. */
function joinNeighbours(cuts: readonly FillerCut[]): TimeRange[] {
  const ranges: { startSeconds: number; endSeconds: number }[] = [];
  let lastWord = -1;
  for (const { startSeconds, endSeconds, fromWord, toWord } of cuts) {
    const last = ranges.at(-1);
    if (last && fromWord === lastWord && startSeconds - last.endSeconds < 1) last.endSeconds = endSeconds;
    else ranges.push({ startSeconds, endSeconds });
    lastWord = toWord;
  }
  return ranges;
}

/**
 * The transcript of the rest: without the cut words, all others at their new times.
 * @param words all words of the transcript in the order of their starts; the cuts' indices refer to it
 */
export function shiftTranscript(
  transcript: Transcript,
  words: readonly { readonly sentence: number; readonly word: number }[],
  cuts: readonly FillerCut[],
  edits: EditList,
): Transcript {
  const map = timeMap(edits);
  const gone = new Set<string>();
  for (const { fromWord, toWord } of cuts)
    for (const { sentence, word } of words.slice(fromWord, toWord)) gone.add(`${sentence} ${word}`);
  const moved = ({ startSeconds, endSeconds }: TimeRange): TimeRange => ({
    startSeconds: map.toOutput(startSeconds),
    endSeconds: map.toOutput(endSeconds),
  });
  const sentences = transcript.sentences.flatMap((sentence, index): TranscriptSentence[] => {
    if (sentence.words.length === 0) return [{ ...sentence, ...moved(sentence) }];
    const isGone = (at: number): boolean => gone.has(`${index} ${at}`);
    const all = sentence.words.every((_, at) => !isGone(at));
    const left = dropWords(sentence.words, isGone).map((word) => ({ ...word, ...moved(word) }));
    if (left.length === 0) return [];
    return [
      {
        ...sentence,
        startSeconds: Math.min(...left.map(({ startSeconds }) => startSeconds)),
        endSeconds: Math.max(...left.map(({ endSeconds }) => endSeconds)),
        text: all ? sentence.text : joinWords(left, transcript.language),
        words: left,
      },
    ];
  });
  return {
    ...transcript,
    durationSeconds: map.outputSeconds,
    ...(transcript.turns === undefined
      ? {}
      : {
          turns: transcript.turns
            .map((turn) => ({ ...turn, ...moved(turn) }))
            .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds),
        }),
    sentences: sentences.toSorted((a, b) => a.startSeconds - b.startSeconds),
  };
}
