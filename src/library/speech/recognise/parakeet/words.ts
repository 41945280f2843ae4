// Joins tokens to words, with the times of their encoder steps.
import type { ListenedWord } from '../../spoken-word.ts';
import type { TimedToken } from './decode.ts';

const spaceMark = '\u2581';
/** The model's special tokens: <unk>, <|en|>. */
const special = /^<.+>$/;
const spoken = /[\p{L}\p{N}]/u;
const opening = /^[\p{Ps}\p{Pi}¿¡"'„“«]+$/u;

interface Draft {
  text: string;
  startStep: number;
  endStep: number;
  /** Of the tokens with letters or digits; of all if there are none. */
  readonly probabilities: number[];
  heard: boolean;
}

/** Words as the tokens spell them, including separate punctuation. */
function drafts(tokens: readonly TimedToken[], pieces: readonly string[]): Draft[] {
  const found: Draft[] = [];
  for (const { token, step, duration, probability } of tokens) {
    const piece = pieces[token] ?? '';
    if (special.test(piece)) continue;
    const text = piece.replaceAll(spaceMark, '');
    const last = found.at(-1);
    const fresh = !last || piece.startsWith(spaceMark);
    const draft = fresh ? { text: '', startStep: step, endStep: step, probabilities: [], heard: false } : last;
    if (fresh) found.push(draft);
    draft.text += text;
    // Punctuation is not spoken and does not lengthen a word.
    const heard = spoken.test(text);
    if (heard || !draft.heard) draft.endStep = step + Math.max(1, duration);
    if (heard && !draft.heard) {
      draft.startStep = step;
      draft.probabilities.length = 0;
    }
    if (heard || !draft.heard) draft.probabilities.push(probability);
    draft.heard ||= heard;
  }
  return found.filter(({ text }) => text !== '');
}

/** Joins separate punctuation to its word. */
function joinSigns(words: readonly Draft[]): Draft[] {
  const joined: Draft[] = [];
  let before = '';
  for (const word of words) {
    const last = joined.at(-1);
    if (word.heard) {
      joined.push({ ...word, text: before + word.text });
      before = '';
    } else if (opening.test(word.text) || !last) before += word.text;
    else last.text += word.text;
  }
  const last = joined.at(-1);
  if (last) last.text += before;
  return joined;
}

/**
 * @param stepSeconds of the encoder: 0.08
 * @param durationSeconds of the stretch; limits all times
 * @returns times from the start of the stretch
 */
export function wordsOf(
  tokens: readonly TimedToken[],
  pieces: readonly string[],
  stepSeconds: number,
  durationSeconds: number,
): ListenedWord[] {
  const words = joinSigns(drafts(tokens, pieces));
  // Words that start in the same step share it.
  const starts = words.map(({ startStep }, index) => {
    const [first, behind] = [
      words.findIndex((word) => word.startStep === startStep),
      words.findLastIndex((word) => word.startStep === startStep) + 1,
    ];
    return Math.min(durationSeconds, (startStep + (index - first) / (behind - first)) * stepSeconds);
  });
  return words.map(({ text, endStep, probabilities }, index) => {
    const startSeconds = starts[index] ?? 0;
    const next = starts[index + 1] ?? durationSeconds;
    return {
      text,
      startSeconds,
      endSeconds: Math.max(startSeconds, Math.min(endStep * stepSeconds, next, durationSeconds)),
      confidence: probabilities.reduce((sum, one) => sum + one, 0) / probabilities.length,
    };
  });
}
