import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';
import { blankText, blankTranscript } from '../../../../src/library/speech/redact/blank-text.ts';
import {
  joinedStretches,
  placesIn,
  placesOfRanges,
  orderedWords,
} from '../../../../src/library/speech/redact/places.ts';
import { openFinder } from '../../../../src/library/speech/redact/sought.ts';

const finder = await openFinder({ words: ['ann taylor', 'miller'], match: 'words', patterns: ['phone'] }, 'en');

/** A second for each word. */
function transcriptOf(...sentences: string[]): Transcript {
  let at = 0;
  return {
    format: 'earshot-transcript',
    version: 1,
    language: 'en',
    durationSeconds: 100,
    speakerCount: null,
    sentences: sentences.map((text) => {
      const words = text
        .split(' ')
        .map((word) => ({ text: word, startSeconds: at, endSeconds: (at += 1), confidence: 0.9 }));
      return { text, words, speaker: null, startSeconds: words[0]!.startSeconds, endSeconds: at };
    }),
  };
}

describe('texts', () => {
  it('keep their lines, marks and other words', () => {
    expect(blankText('Interview\nwith Ann Taylor, and Mr. Miller!\nCall 555 010 1234.', finder)).toBe(
      'Interview\nwith [redacted], and Mr. [redacted]!\nCall [redacted].',
    );
    expect(blankText('Nothing of that', finder)).toBeNull();
  });
});

describe('transcripts', () => {
  it('lose names of speakers that were sought', () => {
    const before = { ...transcriptOf('So it was.'), names: { '1': 'Ann Taylor', '2': 'Bea' } };
    expect(blankTranscript(before, [], [], finder).transcript.names).toEqual({ '1': '[redacted]', '2': 'Bea' });
  });

  it('lose what is no longer heard and what was sought, and keep times', () => {
    const before = transcriptOf('So Ann Taylor came.', 'Then Miller left us here.', 'Anne Tailor again.');
    const { transcript, words } = blankTranscript(before, [{ startSeconds: 5.4, endSeconds: 7 }], [], finder);
    expect(transcript.sentences.map(({ text }) => text)).toEqual([
      'So [redacted] came.',
      'Then [redacted] us here.',
      '[redacted] again.',
    ]);
    // 5.4 to 7 takes "Miller" by more than half and "left" whole; words in a row are one, without a confidence.
    expect(transcript.sentences[1]?.words[1]).toEqual({ text: '[redacted]', startSeconds: 5, endSeconds: 7 });
    expect(words).toBe(6);
    expect(JSON.stringify(transcript)).not.toMatch(/taylor|tailor|miller/i);
  });
});

describe('places', () => {
  it('reach beyond their words by the guard, but no further than half of a neighbour', () => {
    const words = orderedWords(transcriptOf('So Ann Taylor came.'));
    const of = (seconds: number) =>
      placesIn(words, finder, { beforeSeconds: seconds, afterSeconds: seconds }, 100).map(
        ({ startSeconds, endSeconds }) => [startSeconds, endSeconds],
      );
    expect(of(0)).toEqual([[1, 3]]);
    expect(of(0.1)).toEqual([[0.9, 3.1]]);
    expect(of(2)).toEqual([[0.5, 3.5]]);
  });

  it('of ranges end with the recording; stretches that meet are one', () => {
    const ranges = placesOfRanges(
      [
        [8, 12],
        [3, 2],
        [20, 30],
      ],
      10,
    );
    expect(ranges.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
      [8, 10],
      [2, 3],
    ]);
    expect(joinedStretches([...ranges, { startSeconds: 2.5, endSeconds: 8 }])).toEqual([
      { startSeconds: 2, endSeconds: 10 },
    ]);
  });
});
