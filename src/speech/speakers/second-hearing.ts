// What was found window by window is heard once more: every stretch in which one person speaks, by itself. A window's own
// voices may have mixed two people; a stretch of two seconds hardly does.
import { speechRate } from '../speech-sound.ts';
import { embeddingLength } from './networks.ts';
import { frameSeconds } from './segmentation.ts';
import { loneStretches } from './timeline.ts';
import { likeness, type Voices } from './voices.ts';

/** Stretches from this on are heard again, in pieces of about two seconds. */
const leastSeconds = 0.6;
const pieceSeconds = 2;
/** Another person must be so much more like a piece to get it, cosine. */
const clearlyBetter = 0.05;
/** Mean cosine distance of their pieces up to which two are one person. Pieces are short, so that they scatter more. */
const samePersonDistance = 0.6;

export interface SecondHearing {
  /** What to listen to: first sample and the one behind the last. */
  readonly stretches: readonly (readonly [start: number, end: number])[];
  /** Takes the embedding of stretch `index`; changes who speaks there when somebody else is clearly more like it. */
  judge(index: number, embeddings: Float32Array, at: number): void;
  /** After all were judged: people whose pieces are alike become one. */
  mergePeople(): void;
}

/** @param speaking sets of people of every frame; it is changed */
export function hearAgain(speaking: Uint8Array, voices: Voices): SecondHearing {
  const pieces = loneStretches(speaking, leastSeconds).flatMap(({ person, firstFrame, endFrame }) => {
    const count = Math.max(1, Math.round((frameSeconds(endFrame) - frameSeconds(firstFrame)) / pieceSeconds));
    const cut = (index: number): number => firstFrame + Math.round(((endFrame - firstFrame) * index) / count);
    return Array.from({ length: count }, (_, index) => ({ person, first: cut(index), end: cut(index + 1) }));
  });
  const sampleOf = (frame: number): number => Math.max(0, Math.round(frameSeconds(frame) * speechRate));
  const heard = Array.from({ length: voices.count }, () => ({ pieces: 0, sum: new Float64Array(embeddingLength) }));
  type Heard = (typeof heard)[number];

  const distance = (a: Heard, b: Heard): number => {
    let product = 0;
    for (let i = 0; i < embeddingLength; i += 1) product += (a.sum[i] as number) * (b.sum[i] as number);
    return 1 - product / (a.pieces * b.pieces);
  };
  const add = (to: Heard, sum: ArrayLike<number>, count: number, from = 0): void => {
    to.pieces += count;
    for (let i = 0; i < embeddingLength; i += 1) to.sum[i] = (to.sum[i] as number) + (sum[from + i] as number);
  };
  return {
    stretches: pieces.map(({ first, end }) => [sampleOf(first), sampleOf(end)]),
    judge(index, embeddings, at) {
      const { person, first, end } = pieces[index] as (typeof pieces)[number];
      let [best, most] = [person, likeness(voices, person, embeddings, at) + clearlyBetter];
      for (let other = 0; other < voices.count; other += 1) {
        const like = likeness(voices, other, embeddings, at);
        if (like > most) [best, most] = [other, like];
      }
      if (best !== person) speaking.fill(1 << best, first, end);
      add(heard[best] as Heard, embeddings, 1, at * embeddingLength);
    },
    mergePeople() {
      const become = heard.map((_, person) => person);
      for (;;) {
        const left = [...heard.keys()].filter((person) => become[person] === person && heard[person]?.pieces !== 0);
        let [least, pair]: [number, readonly [number, number] | null] = [samePersonDistance, null];
        for (const a of left)
          for (const b of left) {
            if (a >= b) continue;
            const apart = distance(heard[a] as Heard, heard[b] as Heard);
            if (apart <= least) [least, pair] = [apart, [a, b]];
          }
        if (!pair) break;
        const [kept, gone] = pair;
        add(heard[kept] as Heard, (heard[gone] as Heard).sum, (heard[gone] as Heard).pieces);
        for (const [person, now] of become.entries()) if (now === gone) become[person] = kept;
      }
      if (become.every((now, person) => now === person)) return;
      const sets = Uint8Array.from({ length: 1 << voices.count }, (_, set) =>
        become.reduce((all, now, person) => ((set & (1 << person)) === 0 ? all : all | (1 << now)), 0),
      );
      for (let frame = 0; frame < speaking.length; frame += 1)
        speaking[frame] = sets[speaking[frame] as number] as number;
    },
  };
}
