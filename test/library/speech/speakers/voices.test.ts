import { describe, expect, it } from 'vitest';
import { embeddingLength } from '../../../../src/library/speech/speakers/networks.ts';
import {
  cutPieces,
  outlineOf,
  type Outline,
  type VoicePiece,
  piecesInWindows,
  type PlacedPiece,
  takeoversOf,
} from '../../../../src/library/speech/speakers/pieces.ts';
import { tellApart } from '../../../../src/library/speech/speakers/second-hearing.ts';
import {
  firstFrameOf,
  framesIn,
  frameSeconds,
  windowFrames,
  windowStarts,
} from '../../../../src/library/speech/speakers/segmentation.ts';
import { addUp, turnsOf } from '../../../../src/library/speech/speakers/timeline.ts';
import { findVoices, peopleIn } from '../../../../src/library/speech/speakers/voices.ts';
import { windowPeople } from '../../../../src/library/speech/speakers/window-people.ts';

const { signal } = new AbortController();

/** A direction between the axes that are named: `{0: 1, 1: 0.5}`. */
function direction(parts: Readonly<Record<number, number>>): number[] {
  const values = Array.from({ length: embeddingLength }, (_, axis) => parts[axis] ?? 0);
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}
const embeddings = (list: readonly (readonly number[])[]): Float32Array => Float32Array.from(list.flat());
const likeness = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, axis) => sum + value * (b[axis] as number), 0);

/** Pieces of so many seconds, a second apart. */
function pieces(...seconds: readonly number[]): VoicePiece[] {
  let at = 0;
  return seconds.map((length) => {
    const [firstFrame, endFrame] = [Math.round(framesIn(at)), Math.round(framesIn(at + length))];
    at += length + 1;
    return { firstFrame, endFrame };
  });
}

/** Windows that hear some pieces, each as one of their own voices: `[{piece: voice}, ...]`. */
const windows = (...list: readonly Readonly<Record<number, number>>[]): PlacedPiece[][] =>
  list.map((placed) => Object.entries(placed).map(([piece, voice]) => ({ piece: Number(piece), voice })));

describe('findVoices', () => {
  const [a, b, c] = [direction({ 0: 1 }), direction({ 1: 1 }), direction({ 2: 1 })];

  it('takes clusters of two and more for people, those who speak longest first', async () => {
    const heard = { pieces: pieces(2, 3, 2, 3, 9), embeddings: embeddings([a, b, a, b, c]), inWindows: [] };
    const { count, centroids } = await findVoices(heard, { signal });
    expect(count).toBe(2);
    expect(centroids).toEqual(embeddings([b, a]));
  });

  it('takes single ones where there are no others, and short ones where there are no long ones', async () => {
    const count = async (lengths: readonly number[], list: readonly (readonly number[])[]): Promise<number> =>
      (await findVoices({ pieces: pieces(...lengths), embeddings: embeddings(list), inWindows: [] }, { signal })).count;
    expect(await count([2, 2], [a, b])).toBe(2);
    expect(await count([0.4], [a])).toBe(1);
    expect(await count([], [])).toBe(0);
  });

  it('takes two alike for one where windows hear their pieces as one voice far more often than as two', async () => {
    const alike = direction({ 0: 1, 1: Math.sqrt(3) });
    const heard = {
      pieces: pieces(...Array.from({ length: 20 }, () => 2)),
      embeddings: embeddings(Array.from({ length: 20 }, (_, piece) => (piece < 10 ? a : alike))),
    };
    const asOne = (from: number, to: number): Record<number, number> =>
      Object.fromEntries(Array.from({ length: to - from }, (_, at) => [from + at, 0]));
    const asTwo = Array.from({ length: 10 }, (_, piece) => ({ [piece]: 0, [piece + 10]: 1 }));
    const count = async (...often: readonly Record<number, number>[]): Promise<number> =>
      (await findVoices({ ...heard, inWindows: windows(...asTwo, ...asTwo, ...often, ...often) }, { signal })).count;
    expect(await count(asOne(0, 10), asOne(10, 20))).toBe(1);
    expect(await count(asOne(0, 10))).toBe(2);
  });

  it('finds as many people as it is told, and divides no one for that', async () => {
    const near = direction({ 0: 1, 1: 0.4 });
    const heard = {
      pieces: pieces(3, 3, 3, 3, 2, 2, 1.5),
      embeddings: embeddings([a, a, b, b, near, near, c]),
      inWindows: [],
    };
    const people = async (least?: number, most = least): Promise<Float32Array[]> => {
      const voices = await findVoices(heard, {
        signal,
        bounds: least === undefined || most === undefined ? undefined : { least, most },
      });
      return Array.from({ length: voices.count }, (_, at) =>
        voices.centroids.slice(at * embeddingLength, (at + 1) * embeddingLength),
      );
    };
    expect((await people()).length).toBe(2);
    expect(await people(2)).toEqual(await people());
    // The one who has a single piece.
    expect((await people(3))[2]).toEqual(embeddings([c]));
    expect((await people(7)).length).toBe(3);
    expect((await people(1)).length).toBe(1);
    // Within bounds nothing changes; outside of them it is as with their number.
    expect(await people(1, 8)).toEqual(await people());
    expect(await people(2, 4)).toEqual(await people());
    expect(await people(3, 5)).toEqual(await people(3));
    expect(await people(1, 1)).toEqual(await people(1));
  });

  it('keeps eight people at most: of ten, those with the least to say share a number', async () => {
    const list = Array.from({ length: 10 }, (_, axis) => direction({ [axis]: 1 }));
    // The last ones have the most to say.
    const lengths = Array.from({ length: 20 }, (_, index) => 2 + 0.1 * (index % 10));
    const heard = { pieces: pieces(...lengths), embeddings: embeddings([...list, ...list]), inWindows: [] };
    expect(peopleIn(await findVoices(heard, { signal }))).toBe(8);
    // With the third pieces the least are people, not chance.
    const more = pieces(...lengths, ...lengths.slice(0, 10));
    const all = { pieces: more, embeddings: embeddings([...list, ...list, ...list]), inWindows: [] };
    const voices = await findVoices(all, { signal });
    expect(voices.centroids.slice(0, embeddingLength)).toEqual(embeddings([list[9] as number[]]));
    expect(peopleIn(voices)).toBe(8);
    const told = tellApart({ pieces: more, costs: more.map(() => 0) }, all.embeddings, voices);
    expect(Array.from(told.subarray(0, 10))).toEqual([7, 7, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('asks for more likeness where windows say that different people are alike, as through a telephone', async () => {
    // .45 alike: more than people are anywhere else.
    const [one, other] = [direction({ 0: 1 }), direction({ 0: 0.45, 1: Math.sqrt(1 - 0.45 ** 2) })];
    const list = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : other));
    expect(likeness(one, other)).toBeCloseTo(0.45);
    const heard = { pieces: pieces(2, 2, 2, 2, 2, 2, 2, 2), embeddings: embeddings(list), inWindows: [] };
    expect((await findVoices(heard, { signal })).count).toBe(1);
    const told = windows(...Array.from({ length: 3 }, () => ({ 0: 0, 1: 1, 2: 0, 3: 1, 4: 0, 5: 1, 6: 0, 7: 1 })));
    expect((await findVoices({ ...heard, inWindows: told }, { signal })).count).toBe(2);
  });

  it('asks for less likeness where windows never hear two voices', async () => {
    // .25 alike: less than one person's pieces are elsewhere.
    const [one, other] = [direction({ 0: 1 }), direction({ 0: 0.25, 1: Math.sqrt(1 - 0.25 ** 2) })];
    const list = [one, one, one, one, other, other, other, other];
    const heard = { pieces: pieces(2, 2, 2, 2, 2, 2, 2, 2), embeddings: embeddings(list), inWindows: [] };
    expect((await findVoices(heard, { signal })).count).toBe(2);
    const told = windows(...Array.from({ length: 3 }, () => ({ 0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0 })));
    expect((await findVoices({ ...heard, inWindows: told }, { signal })).count).toBe(1);
  });

  it('finds who speaks in short pieces only', async () => {
    const short = { pieces: pieces(3, 3, 0.8, 0.9, 0.7), embeddings: embeddings([a, a, b, b, b]), inWindows: [] };
    expect((await findVoices(short, { signal })).count).toBe(2);
    const single = { pieces: pieces(3, 3, 0.8), embeddings: embeddings([a, a, b]), inWindows: [] };
    expect((await findVoices(single, { signal })).count).toBe(1);
  });

  it('finds a second person who says a word, where windows hear another voice', async () => {
    const word = direction({ 0: 0.4, 1: 0.9 });
    const heard = { pieces: pieces(3, 3, 0.7), embeddings: embeddings([a, a, word]) };
    const apart = windows({ 0: 0, 1: 0, 2: 1 }, { 1: 0, 2: 1 });
    expect((await findVoices({ ...heard, inWindows: apart }, { signal })).count).toBe(2);
    const together = windows({ 0: 0, 1: 0, 2: 0 }, { 1: 0, 2: 0 });
    expect((await findVoices({ ...heard, inWindows: together }, { signal })).count).toBe(1);
  });
});

describe('tellApart', () => {
  const voices = { count: 2, centroids: embeddings([direction({ 0: 1 }), direction({ 1: 1 })]) };
  const near = pieces(1, 1, 1, 1);
  const sounds = [direction({ 0: 1 }), direction({ 0: 0.68, 1: 0.73 }), direction({ 0: 1 }), direction({ 1: 1 })];

  it('lets somebody else speak where likeness gains more than the change costs', () => {
    const cheap = tellApart({ pieces: near, costs: [0, 0, 0, 0] }, embeddings(sounds), voices);
    expect([...cheap]).toEqual([0, 1, 0, 1]);
    const dear = tellApart({ pieces: near, costs: [0.1, 0.1, 0.1, 0.1] }, embeddings(sounds), voices);
    expect([...dear]).toEqual([0, 0, 0, 1]);
  });

  it('gives everything to the one person without listening', () => {
    expect([...tellApart({ pieces: near, costs: [0, 0, 0, 0] }, new Float32Array(0), { ...voices, count: 1 })]).toEqual(
      [0, 0, 0, 0],
    );
  });
});

describe('pieces', () => {
  /** One voice of the window speaks in each stretch of frames. */
  function heardWindows(
    seconds: number,
    stretches: readonly (readonly [set: number, first: number, end: number])[],
  ): { starts: number[]; voices: Uint8Array } {
    const starts = windowStarts(seconds * 16_000);
    const voices = new Uint8Array(starts.length * windowFrames);
    for (const [window, start] of starts.entries())
      for (const [set, first, end] of stretches)
        for (let frame = first; frame < end; frame += 1) {
          const index = frame - firstFrameOf(start);
          if (index >= 0 && index < windowFrames) voices[window * windowFrames + index] = set;
        }
    return { starts, voices };
  }

  it('end where another voice takes over, where several speak and at pauses; long ones are cut', () => {
    const heard = heardWindows(14, [
      [1, 60, 120],
      [1, 130, 180], // a pause of 0.17 s inside of a piece
      [2, 180, 240],
      [3, 240, 300], // both
      [2, 300, 360],
      [1, 400, 640], // 4 s
    ]);
    const outline = outlineOf(heard);
    const found = cutPieces(outline, takeoversOf(outline, 0.5), 2);
    expect(found.map(({ firstFrame, endFrame }) => [firstFrame, endFrame])).toEqual([
      [60, 180],
      [180, 240],
      [300, 360],
      [400, 520],
      [520, 640],
    ]);
    const placed = piecesInWindows(heard, found);
    expect(placed[0]).toEqual([
      { piece: 0, voice: 0 },
      { piece: 1, voice: 1 },
      { piece: 2, voice: 1 },
      { piece: 3, voice: 0 },
      { piece: 4, voice: 0 },
    ]);
    // The second window begins at frame 119: half of the first piece is behind it.
    expect(placed[1]?.[0]).toEqual({ piece: 1, voice: 1 });
  });

  it('ask as many windows as they are told to', () => {
    const changes = Float32Array.of(0, 0, 0.3, 0.3, 0.3, 0, 0.6, 0.9, 0.6, 0);
    const outline: Outline = { counts: new Uint8Array(10).fill(1), changes };
    expect([...takeoversOf(outline, 0.5)]).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
    expect([...takeoversOf(outline, 0.25)]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
  });

  it('say who a window’s voices are; a voice that is never alone is the most alike of those who are silent', () => {
    // Person 0 speaks, then both the window's voices; the second one is never alone.
    const heard = heardWindows(10, [
      [1, 60, 200],
      [3, 200, 300],
      [1, 300, 400],
    ]);
    const outline = outlineOf(heard);
    const told = {
      pieces: cutPieces(outline, new Uint8Array(outline.counts.length), 4),
      people: Uint8Array.of(0, 0),
      inWindows: [] as PlacedPiece[][],
    };
    told.inWindows = piecesInWindows(heard, told.pieces) as PlacedPiece[][];
    const people = windowPeople(heard, told);
    expect(people.toHear).toHaveLength(1);
    expect(people.toHear[0]).toHaveLength(1);
    expect(people.personAt(0, 1, 250)).toBe(-1);
    const voices = {
      count: 3,
      centroids: embeddings([direction({ 0: 1 }), direction({ 1: 1 }), direction({ 2: 1 })]),
    };
    // It is most like person 0, who speaks at the same time.
    people.judge(embeddings([direction({ 0: 1, 1: 0.2, 2: 0.5 })]), voices);
    expect(people.personAt(0, 1, 250)).toBe(2);
    const speaking = addUp(heard, outline, told, people, 3);
    expect([speaking[30], speaking[100], speaking[250], speaking[350]]).toEqual([0, 0b001, 0b101, 0b001]);
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

  it('makes turns: bridged, without shreds, numbered as they begin', () => {
    const speaking = new Uint8Array(1000);
    speaking.fill(0b10, 100, 200);
    speaking.fill(0b10, 220, 300); // 0.34 s behind the one before: one turn
    speaking.fill(0b01, 320, 400);
    speaking.fill(0b11, 400, 410); // both
    speaking.fill(0b10, 410, 500);
    speaking.fill(0b01, 600, 608); // 0.14 s: a shred
    expect(turnsOf(speaking, 2, 60)).toEqual([
      { speaker: 1, startSeconds: frameSeconds(100), endSeconds: frameSeconds(300) },
      { speaker: 2, startSeconds: frameSeconds(320), endSeconds: frameSeconds(410) },
      { speaker: 1, startSeconds: frameSeconds(400), endSeconds: frameSeconds(500) },
    ]);
    // Between 300 and 320 nobody speaks, between 300 and 400 somebody else does: not bridged.
    expect(turnsOf(speaking, 2, 60).filter(({ speaker }) => speaker === 1)).toHaveLength(2);
  });
});
