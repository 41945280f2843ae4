// Turns cuts into the rest of the recording and of its transcript.
import type { TimeRange } from '../../core/time-range.ts';
import type { Transcript, TranscriptSentence } from '../../contract/transcript.ts';
import { complementRanges, type EditList, timeMap } from '../../edit/edit-list.ts';
import { dropWords } from '../../speech/fillers/drop-words.ts';
import { joinWords } from '../../contract/join-words.ts';
import type { SoftRange } from '../../edit/soften.ts';
import type { OfferedCut } from './offered.ts';

/** Short enough not to double a syllable, long enough to join room tone smoothly. */
const crossfadeSeconds = 0.02;

/** What lowered sounds keep: -15 dB. */
const loweredGain = 10 ** (-15 / 20);
/** The sounds that are played softer, in frames. */
export function softRangesOf(cuts: readonly OfferedCut[], sampleRate: number): SoftRange[] {
  return cuts.flatMap(({ action, startSeconds, endSeconds }) =>
    action === 'cut'
      ? []
      : [
          {
            start: Math.round(startSeconds * sampleRate),
            end: Math.round(endSeconds * sampleRate),
            gain: action === 'mute' ? 0 : loweredGain,
          },
        ],
  );
}

/** @param frames of the recording */
export function editsOf(cuts: readonly OfferedCut[], sampleRate: number, frames: number): EditList {
  const ranges = joinNeighbours(cuts.filter(({ action }) => action === 'cut')).map(({ startSeconds, endSeconds }) => ({
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

/** Joins two cuts without a word between them. Cuts of other sounds leave the pauses around them unchanged. */
function joinNeighbours(cuts: readonly OfferedCut[]): TimeRange[] {
  const ranges: { startSeconds: number; endSeconds: number }[] = [];
  let lastWord = -1;
  for (const { kind, startSeconds, endSeconds, fromWord, toWord } of cuts) {
    const last = ranges.at(-1);
    const isSound = kind === 'breath' || kind === 'mouth_click' || kind === 'cough';
    if (last && !isSound && fromWord === lastWord && startSeconds - last.endSeconds < 1) last.endSeconds = endSeconds;
    else ranges.push({ startSeconds, endSeconds });
    lastWord = isSound ? -1 : toWord;
  }
  return ranges;
}

/**
 * The transcript with words that claim no sound of a cut: edges of cuts are found in the sound, those of words are some
 * hundredths of a second off.
 * @param words as for `shiftTranscript`
 */
export function besideCuts(
  transcript: Transcript,
  words: readonly { readonly sentence: number; readonly word: number }[],
  cuts: readonly OfferedCut[],
): Transcript {
  const placeOf = new Map(words.map(({ sentence, word }, at) => [`${sentence} ${word}`, at]));
  const outside = (range: TimeRange, at: number): TimeRange => {
    let { startSeconds, endSeconds } = range;
    for (const cut of cuts) {
      const isOwn = at >= cut.fromWord && at < Math.max(cut.toWord, 'fluent' in cut ? cut.fromWord + 1 : 0);
      if (isOwn || cut.endSeconds <= startSeconds || cut.startSeconds >= endSeconds) continue;
      if (cut.startSeconds + cut.endSeconds < startSeconds + endSeconds)
        startSeconds = Math.min(cut.endSeconds, endSeconds);
      else endSeconds = Math.max(cut.startSeconds, startSeconds);
    }
    return { startSeconds, endSeconds };
  };
  const sentences = transcript.sentences.map((sentence, index) => {
    const own = sentence.words.map((word, at) => ({ ...word, ...outside(word, placeOf.get(`${index} ${at}`) ?? -1) }));
    return {
      ...sentence,
      startSeconds: own[0]?.startSeconds ?? sentence.startSeconds,
      endSeconds: own.reduce((end, word) => Math.max(end, word.endSeconds), 0) || sentence.endSeconds,
      words: own,
    };
  });
  return { ...transcript, sentences };
}

/**
 * The transcript of the rest: without the cut words, all others at their new times.
 * @param words all words of the transcript in the order of their starts; the cuts' indices refer to it
 */
export function shiftTranscript(
  transcript: Transcript,
  words: readonly { readonly sentence: number; readonly word: number }[],
  cuts: readonly OfferedCut[],
  edits: EditList,
): Transcript {
  const map = timeMap(edits);
  const gone = new Set<string>();
  const fluent = new Map<string, string>();
  for (const cut of cuts) {
    // What is lowered is still heard.
    if (cut.action === 'lower') continue;
    for (const { sentence, word } of words.slice(cut.fromWord, cut.toWord)) gone.add(`${sentence} ${word}`);
    const begun = words[cut.fromWord];
    if ('fluent' in cut && cut.fluent !== undefined && begun) fluent.set(`${begun.sentence} ${begun.word}`, cut.fluent);
  }
  const moved = ({ startSeconds, endSeconds }: TimeRange): TimeRange => ({
    startSeconds: map.toOutput(startSeconds),
    endSeconds: map.toOutput(endSeconds),
  });
  const sentences = transcript.sentences.flatMap((sentence, index): TranscriptSentence[] => {
    if (sentence.words.length === 0) return [{ ...sentence, ...moved(sentence) }];
    const isGone = (at: number): boolean => gone.has(`${index} ${at}`);
    const said = sentence.words.map((word, at) => ({ ...word, text: fluent.get(`${index} ${at}`) ?? word.text }));
    const all = said.every(({ text }, at) => !isGone(at) && text === sentence.words[at]?.text);
    const left = dropWords(said, isGone).map((word) => ({ ...word, ...moved(word) }));
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
