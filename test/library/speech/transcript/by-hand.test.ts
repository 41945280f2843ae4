// Captions that people divide, join and move: what they set follows the words through an edit.
import { expect, it } from 'vitest';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';
import { type CaptionsByHand, captionNumber } from '../../../../src/library/speech/transcript/write/by-hand.ts';
import { captionsOf } from '../../../../src/library/speech/transcript/write/captions.ts';
import { toSrt } from '../../../../src/library/speech/transcript/write/subtitles.ts';

const texts =
  'The first caption has some words, and the second one has others. A third sentence is longer and does not fit.'.split(
    ' ',
  );

/** @param gone numbers of words that are cut: what follows is as much earlier */
function talk(gone: readonly number[] = []): Transcript {
  let at = 1;
  const words = texts.flatMap((text, number) => {
    if (gone.includes(number)) return [];
    const word = { text, number, startSeconds: at, endSeconds: at + 0.3 };
    at += 0.4;
    return [word];
  });
  const sentence = (own: typeof words): Transcript['sentences'][number] => ({
    startSeconds: own[0]?.startSeconds ?? 0,
    endSeconds: own.at(-1)?.endSeconds ?? 0,
    text: own.map(({ text }) => text).join(' '),
    speaker: null,
    words: own,
  });
  return {
    format: 'earshot-transcript',
    version: 1,
    language: 'en',
    durationSeconds: at + 1,
    speakerCount: null,
    sentences: [
      sentence(words.filter(({ number }) => number < 12)),
      sentence(words.filter(({ number }) => number >= 12)),
    ],
  };
}

const nothing: CaptionsByHand = { breaks: {}, shifts: {} };
const captions = (byHand: CaptionsByHand, gone: readonly number[] = []) =>
  captionsOf(talk(gone), undefined, 'standard', byHand);
const numbers = (byHand: CaptionsByHand, gone: readonly number[] = []) => captions(byHand, gone).map(captionNumber);

it('leaves captions as they are where nothing is set, and says which word each begins with', () => {
  const usual = captionsOf(talk());
  expect(captions(nothing).map(({ lines }) => lines)).toEqual(usual.map(({ lines }) => lines));
  expect(numbers(nothing)).toEqual([0, 12]);
});

it('divides where people say so, and joins what two lines hold', () => {
  expect(numbers({ ...nothing, breaks: { 3: 1 } })).toEqual([0, 3, 12]);
  expect(numbers({ ...nothing, breaks: { 3: 1, 6: 1, 12: 1 } })).toEqual([0, 3, 6, 12]);
  // 64 and 44 cells do not fit into two lines of 42: they stay two.
  const wide = captions({ ...nothing, breaks: { 12: 0 } });
  expect(wide.every(({ lines }) => lines.length <= 2 && lines.every((line) => line.length <= 42))).toBe(true);
  // Short ones are joined, also over the end of a sentence.
  const joined = captions({ ...nothing, breaks: { 7: 1, 12: 0 } });
  expect(joined.map(captionNumber)).toEqual([0, 7]);
  expect(joined[1]?.lines.join(' ')).toBe('the second one has others. A third sentence is longer and does not fit.');
});

it('moves the times of a caption, no further than its neighbours, and with its words when others are cut', () => {
  const [first, second] = captions(nothing);
  const moved = captions({ ...nothing, shifts: { 0: [0.2, -1], 12: [0.1, 0] } });
  expect(moved[0]?.startSeconds).toBeCloseTo((first?.startSeconds ?? 0) + 0.2, 3);
  expect(moved[0]?.endSeconds).toBeCloseTo((first?.endSeconds ?? 0) - 1, 3);
  expect(moved[1]?.startSeconds).toBeCloseTo((second?.startSeconds ?? 0) + 0.1, 3);
  const pushed = captions({ ...nothing, shifts: { 0: [0, 5] } });
  expect(pushed[0]?.endSeconds).toBeLessThanOrEqual(pushed[1]?.startSeconds ?? 0);
  const before = captions({ ...nothing, shifts: { 12: [0.1, 0.2] } })[1];
  const cut = captions({ ...nothing, shifts: { 12: [0.1, 0.2] } }, [1, 2])[1];
  expect((before?.startSeconds ?? 0) - (cut?.startSeconds ?? 0)).toBeCloseTo(0.8, 3);
});

it('is in what is exported', () => {
  const srt = toSrt(talk(), { byHand: { breaks: { 3: 1 }, shifts: { 3: [0.05, 0] } } });
  expect(srt.split('\n\n')).toHaveLength(3);
  expect(srt).toContain('00:00:02,250 --> ');
});
