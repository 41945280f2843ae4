import { describe, expect, it } from 'vitest';
import { embeddingLength } from '../../../src/speech/speakers/networks.ts';
import { assignVoices, findVoices, nobody } from '../../../src/speech/speakers/voices.ts';
import { addUpWindows, loneStretches, turnsOf } from '../../../src/speech/speakers/timeline.ts';
import { frameSeconds, windowFrames, windowStarts } from '../../../src/speech/speakers/segmentation.ts';

const { signal } = new AbortController();

/** A direction between the axes that are named: `{0: 1, 1: 0.5}`. */
function direction(parts: Readonly<Record<number, number>>): number[] {
  const values = Array.from({ length: embeddingLength }, (_, axis) => parts[axis] ?? 0);
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}
const embeddings = (list: readonly (readonly number[])[]): Float32Array => Float32Array.from(list.flat());
const none = direction({});

describe('findVoices', () => {
  const [a, b, c] = [direction({ 0: 1 }), direction({ 1: 1 }), direction({ 2: 1 })];

  it('takes clusters of two and more for people, those who speak longest first', async () => {
    const heard = embeddings([a, b, none, a, b, c]);
    const rows = Int32Array.of(200, 300, 0, 200, 300, 900);
    const { count, centroids } = await findVoices(heard, rows, { signal });
    expect(count).toBe(2);
    expect(centroids).toEqual(embeddings([b, a]));
  });

  it('takes single ones where there are no others, and short ones where there are no long ones', async () => {
    expect((await findVoices(embeddings([a, b, none]), Int32Array.of(200, 200, 0), { signal })).count).toBe(2);
    expect((await findVoices(embeddings([a, none, none]), Int32Array.of(20, 0, 0), { signal })).count).toBe(1);
    expect((await findVoices(embeddings([none, none, none]), new Int32Array(3), { signal })).count).toBe(0);
  });

  it('keeps eight people at most', async () => {
    const list = Array.from({ length: 10 }, (_, axis) => direction({ [axis]: 1 }));
    const rows = Int32Array.from({ length: 21 }, (_, index) => (index === 20 ? 0 : 200 + 10 * (index % 10)));
    const { count, centroids } = await findVoices(embeddings([...list, ...list, none]), rows, { signal });
    expect(count).toBe(8);
    expect(centroids.slice(0, embeddingLength)).toEqual(embeddings([list[9] as number[]]));
  });
});

describe('assignVoices', () => {
  const voices = { count: 2, centroids: embeddings([direction({ 0: 1 }), direction({ 1: 1 })]) };

  it('makes the sum greatest, each person once', () => {
    // Both voices are more like person 0, the second one still more than the first.
    const [first, second] = [direction({ 0: 0.8, 1: 0.6 }), direction({ 0: 0.9, 1: 0.3 })];
    expect([...assignVoices(voices, embeddings([first, second, none]), Int32Array.of(50, 50, 0))]).toEqual([
      1,
      0,
      nobody,
    ]);
  });

  it('leaves the least alike without a person where there are more voices than people', () => {
    const list = [direction({ 0: 1, 2: 1 }), direction({ 1: 1 }), direction({ 0: 1 })];
    expect([...assignVoices(voices, embeddings(list), Int32Array.of(50, 50, 50))]).toEqual([nobody, 1, 0]);
  });
});

describe('the timeline', () => {
  it('cuts a recording into windows of ten seconds, the last one at its end', () => {
    expect(windowStarts(0)).toEqual([]);
    expect(windowStarts(100)).toEqual([0]);
    expect(windowStarts(160_000)).toEqual([0]);
    expect(windowStarts(200_000)).toEqual([0, 32_000, 40_000]);
    expect(windowStarts(224_000)).toEqual([0, 32_000, 64_000]);
  });

  it('lets windows vote: as many people as they hear on average, and of them those whom most hear', () => {
    const starts = windowStarts(5 * 16_000 + 160_000);
    expect(starts).toHaveLength(4);
    const voices = new Uint8Array(starts.length * windowFrames);
    // Voice 0 of each window speaks all the time; one window calls it person 1, the others person 0.
    voices.fill(1);
    const people = Uint8Array.from({ length: 12 }, (_, at) => (at % 3 === 0 ? (at === 3 ? 1 : 0) : nobody));
    const speaking = addUpWindows({ starts, voices, people }, { count: 2 });
    expect(new Set(speaking)).toEqual(new Set([1]));
    // Voice 1 speaks in one window of those that hear a frame: not half of them.
    voices.fill(3, 0, windowFrames);
    const few = addUpWindows({ starts, voices, people: people.with(1, 1) }, { count: 2 });
    expect(few[50]).toBe(3);
    expect(few[400]).toBe(1);
  });

  it('finds stretches of one person and makes turns: bridged, without shreds, numbered as they begin', () => {
    const speaking = new Uint8Array(1000);
    speaking.fill(0b10, 100, 200);
    speaking.fill(0b10, 220, 300); // 0.34 s behind the one before: one turn
    speaking.fill(0b01, 320, 400);
    speaking.fill(0b11, 400, 410); // both
    speaking.fill(0b10, 410, 500);
    speaking.fill(0b01, 600, 608); // 0.14 s: a shred
    expect(
      loneStretches(speaking, 1.2).map(({ person, firstFrame, endFrame }) => [person, firstFrame, endFrame]),
    ).toEqual([
      [1, 100, 200],
      [1, 220, 300],
      [0, 320, 400],
      [1, 410, 500],
    ]);
    expect(turnsOf(speaking, 2, 60)).toEqual([
      { speaker: 1, startSeconds: frameSeconds(100), endSeconds: frameSeconds(300) },
      { speaker: 2, startSeconds: frameSeconds(320), endSeconds: frameSeconds(410) },
      { speaker: 1, startSeconds: frameSeconds(400), endSeconds: frameSeconds(500) },
    ]);
    // Between 300 and 320 nobody speaks, between 300 and 400 somebody else does: not bridged.
    expect(turnsOf(speaking, 2, 60).filter(({ speaker }) => speaker === 1)).toHaveLength(2);
  });
});
