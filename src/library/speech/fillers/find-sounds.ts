// What else than fillers a speaker leaves between words: breaths, clicks of the mouth, coughs, and stutters.
import { throwIfAborted } from '../../core/abort.ts';
import type { TimeRange } from '../../core/time-range.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';
import type { FillerCut } from './find-cuts.ts';
import { isClaimed } from './is-claimed.ts';
import { findMouthSounds, type KeptReason, type MouthSoundKind } from './mouth-sounds/find-mouth-sounds.ts';
import { findStutters } from './stutters.ts';

export type FoundSoundKind = MouthSoundKind | 'stutter';

export interface FoundSound extends TimeRange {
  /** Numbers go on behind those of the cuts. */
  readonly id: string;
  readonly kind: FoundSoundKind;
  /** What the transcript has of it: "h-h-" of "h-h-here". */
  readonly text: string;
  /** Index of the first word behind it; no whole word is in it. */
  readonly fromWord: number;
  readonly toWord: number;
  /** The text of that word without it, where the text has it. */
  readonly fluent?: string;
}

export interface KeptSound extends TimeRange {
  readonly kind: FoundSoundKind;
  readonly reason: KeptReason;
}

export interface FoundSounds {
  readonly found: readonly FoundSound[];
  /** Sounds that are like these and belong to a word, or touch one. */
  readonly kept: readonly KeptSound[];
}

/**
 * @param words in order of their start
 * @param cuts of the same words; what they have is not found again
 */
export async function findSounds(
  sound: SpeechSound,
  words: readonly SpokenWord[],
  cuts: readonly FillerCut[],
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(fraction: number): void },
): Promise<FoundSounds> {
  const mouth = await findMouthSounds(sound, words, { signal, onProgress: (done) => onProgress(done / 2) });
  throwIfAborted(signal);
  const sounds = mouth.filter(({ kept }) => kept === null);
  const stutters = await findStutters(sound, words, sounds, {
    signal,
    onProgress: (done) => onProgress(0.5 + done / 2),
  });
  const isCut = (range: TimeRange): boolean =>
    cuts.some((cut) => cut.startSeconds < range.endSeconds && cut.endSeconds > range.startSeconds);
  const placed = [
    ...sounds.map(({ kind, startSeconds, endSeconds }) => {
      const after = words.findIndex((word) => word.startSeconds >= startSeconds);
      const at = after < 0 ? words.length : after;
      return { kind, startSeconds, endSeconds, text: '', fromWord: at, toWord: at };
    }),
    ...stutters.flatMap(({ kept, word, fluent, startSeconds, endSeconds }) => {
      if (kept !== null || isClaimed({ startSeconds, endSeconds }, words.toSpliced(word, 1))) return [];
      const { text } = words[word]!;
      const removed = text.slice(0, Math.max(0, text.length - fluent.length));
      const own = { kind: 'stutter' as const, startSeconds, endSeconds, text: removed, fromWord: word, toWord: word };
      return [removed === '' ? own : { ...own, fluent }];
    }),
  ]
    .filter((one) => !isCut(one))
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
  return {
    found: placed.map((one, index) => ({ id: `c${cuts.length + index + 1}`, ...one })),
    kept: [
      ...mouth.flatMap(({ kind, startSeconds, endSeconds, kept }) =>
        kept === null ? [] : [{ kind, startSeconds, endSeconds, reason: kept }],
      ),
      ...stutters.flatMap(({ startSeconds, endSeconds, kept }) =>
        kept === null ? [] : [{ kind: 'stutter' as const, startSeconds, endSeconds, reason: kept }],
      ),
    ].toSorted((a, b) => a.startSeconds - b.startSeconds),
  };
}
