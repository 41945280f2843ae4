// The edit of a recording by its words: sets of words, undo, joining, and what stays of the sound.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeMap } from '../../../../src/library/edit/edit-list.ts';
import { alignCorrection } from '../../../../src/library/speech/text-edit/correct.ts';
import { keepsOfEdit } from '../../../../src/library/speech/word-edit/edited-keeps.ts';
import { editedTranscript } from '../../../../src/library/speech/text-edit/edited-transcript.ts';
import { beginWith, type History, redo, step, undo } from '../../../../src/library/speech/word-edit/history.ts';
import { quietSeams, seamByTimes } from '../../../../src/library/speech/word-edit/quiet-places.ts';
import * as spans from '../../../../src/library/speech/word-edit/spans.ts';
import { moveSentences, runsOf, sentenceOrder } from '../../../../src/library/speech/word-edit/moved.ts';
import * as edits from '../../../../src/library/speech/word-edit/word-edit.ts';

const most = 40;
const aSpan = fc
  .tuple(fc.integer({ min: 0, max: most }), fc.integer({ min: 0, max: most }))
  .map(([a, b]): spans.Span => [Math.min(a, b), Math.max(a, b)]);
const aSet = fc.array(aSpan, { maxLength: 12 }).map((list) => list.reduce(spans.withSpan, [] as readonly spans.Span[]));

/** The same set as a list of members. */
const members = (set: readonly spans.Span[]): number[] =>
  Array.from({ length: most + 1 }, (_, at) => at).filter((at) => set.some(([from, to]) => at >= from && at < to));
const isTidy = (set: readonly spans.Span[]): boolean =>
  set.every(([from, to], at) => to > from && from > (set[at - 1]?.[1] ?? -1));

describe('sets of words', () => {
  it('are what a list of their members would be, and stay tidy', () => {
    fc.assert(
      fc.property(aSet, aSet, aSpan, (a, b, span) => {
        const [inA, inB, own] = [new Set(members(a)), new Set(members(b)), members([span])];
        const cases: readonly (readonly [readonly spans.Span[], readonly number[]])[] = [
          [spans.withSpan(a, span), [...inA, ...own]],
          [spans.withoutSpan(a, span), [...inA].filter((at) => !own.includes(at))],
          [spans.union(a, b), [...inA, ...inB]],
          [spans.difference(a, b), [...inA].filter((at) => !inB.has(at))],
          [spans.complement(a, 0, most + 1), members([[0, most + 1]]).filter((at) => !inA.has(at))],
        ];
        for (const [set, wanted] of cases) {
          expect(members(set)).toEqual([...new Set(wanted)].toSorted((x, y) => x - y));
          expect(isTidy(set)).toBe(true);
        }
        expect(spans.touches(a, span)).toBe(own.some((at) => inA.has(at)));
        for (const at of members([[0, most + 1]])) expect(spans.isIn(a, at)).toBe(inA.has(at));
      }),
    );
  });
});

const anAct = fc.oneof(
  aSpan.map((span) => (edit: edits.WordEdit) => edits.cutWords(edit, span)),
  aSpan.map((span) => (edit: edits.WordEdit) => edits.restoreWords(edit, span)),
  aSpan.map(
    ([a, b]) =>
      (edit: edits.WordEdit) =>
        edits.cutTime(edit, [a / 4, b / 4]),
  ),
  aSpan.map(
    ([a, b]) =>
      (edit: edits.WordEdit) =>
        edits.restoreTime(edit, [a / 4, b / 4]),
  ),
  fc.tuple(fc.integer({ min: 0, max: 5 }), fc.option(fc.constantFrom('a', 'b c', ''))).map(
    ([word, text]) =>
      (edit: edits.WordEdit) =>
        edits.writeWord(edit, word, text),
  ),
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('Anna', '', ' Ben ')).map(
    ([who, name]) =>
      (edit: edits.WordEdit) =>
        edits.nameSpeaker(edit, who, name),
  ),
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.option(fc.integer({ min: 1, max: 3 }))).map(
    ([sentence, who]) =>
      (edit: edits.WordEdit) =>
        edits.giveSentence(edit, sentence, who),
  ),
  fc.tuple(fc.integer({ min: 0, max: 5 }), fc.option(fc.integer({ min: 0, max: 5 }))).map(
    ([sentence, before]) =>
      (edit: edits.WordEdit) =>
        moveSentences(edit, 6, [sentence], before),
  ),
  fc.constantFrom('w1-2', 'p3').map((id) => (edit: edits.WordEdit) => edits.keepSuggestion(edit, id)),
  fc.constantFrom('w1-2', 'p3').map((id) => (edit: edits.WordEdit) => edits.askAgain(edit, id)),
);
const acts = fc.array(anAct, { maxLength: 30 });
const done = (list: readonly ((edit: edits.WordEdit) => edits.WordEdit)[], from = edits.nothingEdited) =>
  list.reduce((edit, act) => act(edit), from);

describe('undo', () => {
  it('goes back through every step to the beginning, and forward again', () => {
    fc.assert(
      fc.property(acts, (list) => {
        const states: edits.WordEdit[] = [edits.nothingEdited];
        let history: History<number> = beginWith(edits.nothingEdited);
        for (const [at, act] of list.entries()) {
          const after = act(history.now);
          if (after !== history.now) states.push(after);
          history = step(history, after, at);
        }
        for (const state of states.toReversed()) {
          expect(history.now).toBe(state);
          history = undo(history);
        }
        expect(history.done).toBe(null);
        for (const state of states) {
          expect(history.now).toBe(state);
          history = redo(history);
        }
        expect(history.undone).toBe(null);
        // A new step forgets what was undone.
        const other = step(undo(history), edits.cutWords(undo(history).now, [90, 91]), -1);
        expect(other.undone).toBe(null);
      }),
    );
  });

  it('costs what a step changes, not what there is: 20,000 steps in a breath', () => {
    let history: History<number> = beginWith(edits.nothingEdited);
    for (let at = 0; at < 20_000; at++) history = step(history, { ...history.now, cut: [[0, at + 1]] }, at);
    for (let at = 0; at < 20_000; at++) history = undo(history);
    expect(history.now).toBe(edits.nothingEdited);
  });
});

describe('joining what two tabs made of the same edit', () => {
  it('has all that either did, whichever saves first where they touch other words', () => {
    fc.assert(
      fc.property(acts, acts, acts, (before, mine, theirs) => {
        const base = done(before);
        const [a, b] = [done(mine, base), done(theirs, base)];
        expect(edits.mergeEdits(base, a, base)).toEqual(a);
        expect(edits.mergeEdits(base, base, b)).toEqual(b);
        const joined = edits.mergeEdits(base, a, b);
        const [was, inA, inB, inJoined] = [base, a, b, joined].map(({ cut }) => new Set(members(cut)));
        for (let word = 0; word <= most; word++) {
          const changed = [inA, inB].filter((set) => set?.has(word) !== was?.has(word));
          expect(inJoined?.has(word)).toBe(changed.length === 0 ? was?.has(word) : !was?.has(word));
        }
        expect(isTidy(joined.cut)).toBe(true);
      }),
    );
  });
});

/** Words one after the other, with gaps; the recording has a little before and after. */
const someWords = fc
  .array(fc.tuple(fc.integer({ min: 5, max: 60 }), fc.integer({ min: 0, max: 80 })), { minLength: 1, maxLength: 30 })
  .map((list) => {
    let at = 0.3;
    return list.map(([length, gap], index) => {
      const startSeconds = at + gap / 100;
      at = startSeconds + length / 100;
      return { text: `w${index}`, startSeconds, endSeconds: at, speaker: 1 };
    });
  });

describe('what stays of the sound', () => {
  const sampleRate = 8000;
  it('is tidy, leaves kept words whole, and has nothing of the middle of words that went', () => {
    fc.assert(
      fc.property(
        someWords,
        fc.array(aSpan, { maxLength: 6 }),
        fc.array(aSpan, { maxLength: 3 }),
        (words, gone, times) => {
          const frames = Math.round(((words.at(-1)?.endSeconds ?? 0) + 0.4) * sampleRate);
          const within = gone.map(([a, b]): spans.Span => [Math.min(a, words.length), Math.min(b, words.length)]);
          const cut = within.reduce(spans.withSpan, [] as readonly spans.Span[]);
          const removed = times
            .map(([a, b]): spans.Span => [a / 4, b / 4])
            .reduce(spans.withSpan, [] as readonly spans.Span[]);
          const { keeps, overlapped } = keepsOfEdit(
            words,
            { cut, times: removed },
            { sampleRate, frames, seamBetween: seamByTimes },
          );
          expect(overlapped).toEqual([]);
          expect(keeps.every(({ start, end }, at) => end > start && start > (keeps[at - 1]?.end ?? -1))).toBe(true);
          expect((keeps.at(-1)?.end ?? 0) <= frames && (keeps[0]?.start ?? 0) >= 0).toBe(true);
          const stays = (seconds: number): boolean =>
            keeps.some(({ start, end }) => seconds * sampleRate >= start - 1 && seconds * sampleRate < end + 1);
          for (const [at, word] of words.entries()) {
            const middle = (word.startSeconds + word.endSeconds) / 2;
            if (spans.isIn(removed, middle)) continue;
            expect(stays(middle)).toBe(!spans.isIn(cut, at));
          }
          if (removed.length === 0)
            for (const [at, word] of words.entries())
              if (!spans.isIn(cut, at))
                expect([stays(word.startSeconds), stays(word.endSeconds - 0.001)]).toEqual([true, true]);
        },
      ),
    );
  });

  it('has the new times in its transcript, in order and within its length', () => {
    fc.assert(
      fc.property(someWords, aSet, (words, set) => {
        const cut = set
          .map(([a, b]): spans.Span => [Math.min(a, words.length), Math.min(b, words.length)])
          .filter(([a, b]) => b > a);
        const frames = Math.round(((words.at(-1)?.endSeconds ?? 0) + 0.4) * sampleRate);
        const { keeps } = keepsOfEdit(words, { cut, times: [] }, { sampleRate, frames, seamBetween: seamByTimes });
        const length = keeps.reduce((sum, { start, end }) => sum + end - start, 0) / sampleRate;
        const times = timeMap({ sampleRate, sourceFrames: frames, keeps, crossfadeFrames: 0 });
        const edit = { ...edits.nothingEdited, cut, texts: { 0: 'one two' } };
        const events = words.map(({ startSeconds, endSeconds }) => ({
          startSeconds,
          endSeconds,
          sound: 'dog',
          score: 1,
        }));
        const source = { language: 'en', words, events, sentenceOf: words.map(() => 0) };
        const { sentences, events: heard = [] } = editedTranscript(source, edit, times);
        for (const { startSeconds, endSeconds } of heard) {
          expect(endSeconds).toBeGreaterThan(startSeconds);
          expect(endSeconds).toBeLessThanOrEqual(length + 1e-9);
        }
        expect(heard.length).toBeLessThanOrEqual(events.length);
        const said = sentences.flatMap((sentence) => sentence.words);
        const kept = words.filter((_, at) => !spans.isIn(cut, at));
        expect(said.map(({ text }) => text.toLowerCase()).join(' ')).toBe(
          kept.map(({ text }) => (text === 'w0' ? 'one two' : text)).join(' '),
        );
        let last = 0;
        for (const { startSeconds, endSeconds } of said) {
          expect(startSeconds).toBeGreaterThanOrEqual(last - 1e-9);
          expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
          expect(endSeconds).toBeLessThanOrEqual(length + 1e-9);
          last = startSeconds;
        }
      }),
    );
  });

  it('is cut in the quiet between words where peaks show it', () => {
    // A word, 0.2 s of silence after its stated end, the word that goes, silence, a word.
    const loud = (at: number): boolean =>
      (at >= 0.5 && at < 1.06) || (at >= 1.3 && at < 1.62) || (at >= 1.9 && at < 2.4);
    const finder = quietSeams({
      perSecond: 500,
      count: 1500,
      levelAt: (bin) => (loud((bin + 0.5) / 500) ? 0.5 : 0.001),
    });
    const [a, um, b] = [
      { startSeconds: 0.5, endSeconds: 1 },
      { startSeconds: 1.25, endSeconds: 1.6 },
      { startSeconds: 1.9, endSeconds: 2.4 },
    ];
    const seam = finder({ stays: a, goes: um }, { stays: b, goes: um });
    expect(seam.endSeconds).toBeGreaterThan(1.06);
    expect(seam.endSeconds).toBeLessThan(1.3);
    expect(seam.startSeconds).toBeGreaterThan(1.62);
    expect(seam.startSeconds).toBeLessThan(1.9);
    // Peaks that are not there yet: by the times of the words.
    const blind = quietSeams({ perSecond: 500, count: 1500, levelAt: () => null });
    expect(blind({ stays: a, goes: um }, { stays: b, goes: um })).toEqual(
      seamByTimes({ stays: a, goes: um }, { stays: b, goes: um }),
    );
  });
});

describe('sentences that move', () => {
  const most = 12;
  const moves = fc.array(fc.tuple(fc.nat(most - 1), fc.integer({ min: 1, max: 3 }), fc.nat(most)), { maxLength: 20 });

  it('are heard as in a list from which they were taken and put back elsewhere', () => {
    fc.assert(
      fc.property(moves, (list) => {
        let edit = edits.nothingEdited;
        let order: readonly number[] = sentenceOrder({}, most);
        for (const [from, length, to] of list) {
          const which = order.slice(from, from + length);
          const rest = order.filter((each) => !which.includes(each));
          edit = moveSentences(edit, most, which, rest[to] ?? null);
          order = [...rest.slice(0, to), ...which, ...rest.slice(to)];
          expect(sentenceOrder(edit.moves, most)).toEqual(order);
        }
        expect(runsOf(order).flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at))).toEqual(
          order,
        );
      }),
    );
  });

  it('leave nothing behind where they are put back, and go where they are put a hundred times', () => {
    const moved = moveSentences(edits.nothingEdited, 5, [3], 1);
    expect(moved.moves).toEqual({ 3: 0.5 });
    expect(moveSentences(moved, 5, [3], 4).moves).toEqual({});
    expect(moveSentences(moved, 5, [3], 1)).toBe(moved);
    let edit = edits.nothingEdited;
    for (let sentence = 2; sentence < 200; sentence++) edit = moveSentences(edit, 200, [sentence], sentence - 1);
    expect(sentenceOrder(edit.moves, 200)).toEqual([0, ...Array.from({ length: 198 }, (_, at) => 199 - at), 1]);
  });

  it('take their sound, what is cut of it, and the times of their words along', () => {
    const words = Array.from({ length: 9 }, (_, at) => ({
      text: `${at % 3 === 0 ? 'W' : 'w'}${at}${at % 3 === 2 ? '.' : ''}`,
      startSeconds: at + 0.2,
      endSeconds: at + 0.8,
    }));
    const edit = moveSentences(edits.cutWords(edits.nothingEdited, [7, 8]), 3, [2], 0);
    const heard = sentenceOrder(edit.moves, 3).map((each): spans.Span => [3 * each, 3 * each + 3]);
    const rate = 1000;
    const { keeps } = keepsOfEdit(words, edit, { sampleRate: rate, frames: 9000, seamBetween: seamByTimes, heard });
    expect(keeps.some(({ start }, at) => start < (keeps[at - 1]?.start ?? 0))).toBe(true);
    const times = timeMap({ sampleRate: rate, sourceFrames: 9000, keeps, crossfadeFrames: 0 });
    const events = [{ startSeconds: 5.1, endSeconds: 6.9, sound: 'dog', score: 1 }];
    const source = { language: 'en', words, events, sentenceOf: words.map((_, at) => Math.floor(at / 3)) };
    const text = editedTranscript(source, edit, times, heard);
    const said = text.sentences.flatMap((sentence) => sentence.words);
    expect(said.map((word) => word.text).join(' ')).toBe('W6 w8. W0 w1 w2. W3 w4 w5.');
    for (const [at, word] of said.entries()) {
      // By the sound at its time: frame for frame that of the recording.
      const [was] = [[6, 8, 0, 1, 2, 3, 4, 5][at] as number];
      const middle = (word.startSeconds + word.endSeconds) / 2;
      expect(times.toSource(middle), word.text).toBeCloseTo(was + 0.5, 6);
      expect(word.endSeconds - word.startSeconds).toBeCloseTo(0.6, 6);
      expect(word.startSeconds).toBeGreaterThanOrEqual((said[at - 1]?.endSeconds ?? 0) - 1e-9);
    }
    // A sound over the border is in both passages.
    expect(text.events?.map(({ startSeconds, endSeconds }) => (endSeconds - startSeconds).toFixed(2)).length).toBe(2);
    const length = keeps.reduce((sum, { start, end }) => sum + end - start, 0) / rate;
    expect(text.durationSeconds).toBeCloseTo(length, 9);
  });
});

it('keeps each pause once where sentences move', () => {
  // Three sentences of a word each, with pauses of 0.4 and 2 s between them.
  const words = [1, 2, 4.6].map((startSeconds) => ({ text: 'w', startSeconds, endSeconds: startSeconds + 0.6 }));
  const isLoud = (at: number): boolean =>
    words.some(({ startSeconds, endSeconds }) => at >= startSeconds && at < endSeconds);
  const seamBetween = quietSeams({
    perSecond: 500,
    count: 3000,
    levelAt: (bin) => (isLoud((bin + 0.5) / 500) ? 0.5 : 0.001),
  });
  const [rate, frames] = [1000, 6000];
  for (const order of [
    [1, 0, 2],
    [0, 2, 1],
    [2, 0, 1],
    [2, 1, 0],
  ] as const) {
    const heard = order.map((each): spans.Span => [each, each + 1]);
    const nothing = edits.nothingEdited;
    const { keeps } = keepsOfEdit(words, nothing, { sampleRate: rate, frames, seamBetween, heard });
    const seconds = keeps.reduce((sum, { start, end }) => sum + end - start, 0) / rate;
    expect(Math.abs(seconds - 6), `${order.join()}: ${seconds} s`).toBeLessThan(0.9);
    for (const { startSeconds, endSeconds } of words)
      expect(keeps.some(({ start, end }) => start < startSeconds * rate && end > endSeconds * rate)).toBe(true);
  }
});

it('brings no word along that is cut, or heard elsewhere, where sentences move', () => {
  // Three sentences with pauses between them; each begins with a word of 0.15 s, and pauses nowhere within.
  const starts = [1, 3, 5];
  const times = starts.flatMap((at): spans.Span[] => [
    [at, at + 0.15],
    [at + 0.15, at + 0.65],
    [at + 0.65, at + 1.15],
  ]);
  const words = times.map(([startSeconds, endSeconds]) => ({ text: 'w', startSeconds, endSeconds }));
  const isLoud = (at: number): boolean => starts.some((start) => at >= start && at < start + 1.15);
  const seamBetween = quietSeams({
    perSecond: 500,
    count: 3500,
    levelAt: (bin) => (isLoud((bin + 0.5) / 500) ? 0.5 : 0.001),
  });
  // Sentences of three words, and of the short word alone and of the two behind it.
  for (const parts of [
    [0, 3, 6],
    [0, 3, 4, 6],
  ])
    for (const cut of [[], [[3, 4]], [[6, 7]], [[0, 1]], [[5, 6]]] as readonly (readonly spans.Span[])[])
      for (const order of [
        [1, 0, 2, 3],
        [2, 0, 1, 3],
        [0, 2, 1, 3],
        [3, 2, 1, 0],
      ]) {
        const sentences = parts.map((from, at): spans.Span => [from, parts[at + 1] ?? words.length]);
        const heard = order.flatMap((at) => (sentences[at] === undefined ? [] : [sentences[at]]));
        const { keeps } = keepsOfEdit(
          words,
          { cut, times: [] },
          { sampleRate: 1000, frames: 7000, seamBetween, heard },
        );
        for (const [at, [from, to]] of times.entries()) {
          const frames = keeps.reduce(
            (sum, { start, end }) => sum + Math.max(0, Math.min(end, to * 1000) - Math.max(start, from * 1000)),
            0,
          );
          const isCut = spans.isIn(cut, at);
          const said = `word ${at}, ${heard.join('|')} without ${cut.join('|')}: ${Math.round(frames)} ms`;
          expect(Math.abs(frames - (isCut ? 0 : (to - from) * 1000)), said).toBeLessThan(70);
        }
      }
});

describe('a correction', () => {
  it.each([
    [['who', 'cares.'], "who's there.", ["who's", 'there.']],
    [['I', 'gonna', 'go'], "I'm going to go", ["I'm", 'going to', 'go']],
    [['there', 'is', 'a', 'speech', 'error'], 'there is speech error', ['there', 'is', '', 'speech', 'error']],
    [['New', 'york'], 'New York', ['New', 'York']],
    [['one', 'two'], '  ', ['one', 'two']],
  ])('of %j to %j gives each word its place', (heard, written, placed) => {
    expect(alignCorrection(heard, written)).toEqual(placed);
  });

  it('loses no word', () => {
    const words = fc.array(fc.constantFrom('a', 'be', 'sea', 'deep', 'eager'), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(words, words, (heard, written) => {
        const placed = alignCorrection(heard, written.join(' '));
        expect(placed.length).toBe(heard.length);
        expect(placed.filter((text) => text !== '').join(' ')).toBe(written.join(' '));
      }),
    );
  });
});
