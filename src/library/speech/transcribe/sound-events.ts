// Sounds by name in the scores of the listener. Thresholds were set on one half of 225 recordings of events and 16 min
// of music for nine of ten right, and judged on the other half: 92 % right, 54 % found; of the kinds told here 93 to
// 100 % right, 62 to 84 % found.
import type { SoundKind } from '../../contract/sound-kinds.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { animalClasses, musicClass } from '../../dsp/listener/sound-classes.ts';

export interface SoundEvent extends TimeRange {
  readonly sound: SoundKind;
  /** The greatest score in it, 0 to 1. */
  readonly score: number;
}

interface Rule {
  readonly classes: readonly number[];
  /** Score that begins an event; half of it ends one. */
  readonly least: number;
  /** So many patches must reach it. */
  readonly patches: number;
  /** null: too often wrong to be told, but where it is the strongest sound, none of the others is heard. */
  readonly sound: SoundKind | null;
}

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Under anything, so it does not count as a sound of a moment. */
const music: Rule = { classes: [musicClass], least: 0.7, patches: 1, sound: 'music' };
const sounds: readonly Rule[] = [
  // Cheering and clapping, too.
  { classes: [58, 61, 62, 64], least: 0.05, patches: 2, sound: 'applause' },
  { classes: animalClasses, least: 0.5, patches: 2, sound: 'animal' },
  { classes: [280, 281], least: 0.05, patches: 1, sound: 'thunder' },
  { classes: [304, ...from(316, 319), 390, 391, 393, 394], least: 0.25, patches: 3, sound: 'siren' },
  { classes: [349, 350, ...from(383, 385), 389], least: 0.05, patches: 3, sound: 'ringing' },
  ...[
    [302, 303, 312], // horns
    [38], // snoring
    [283, 285], // rain
    [19, 20], // crying
    from(42, 44), // coughs and sneezes
    from(13, 18), // laughter
    [11], // screams
    [348, 352, 353, 354, 420, 421, 422, 424, 426, 430, 454, 460, 463], // doors and bangs
  ].map((classes) => ({ classes, least: Number.POSITIVE_INFINITY, patches: 0, sound: null })),
];
const rules = [music, ...sounds];

/** An animal's name is told from this score on. */
const leastName = 0.3;
const animals: readonly (readonly [SoundKind, readonly number[]])[] = [
  ['dog', [69, 70, 71, 73]],
  ['cat', [76, 78, 80]],
  ['bird', [...from(106, 109), ...from(112, 114)]],
  ['horse', [82, 83, 84]],
  ['livestock', [81, ...from(85, 101)]],
];

/** Classes whose greatest scores `soundEvents` takes of each patch, in this order. */
export const eventGroups: readonly (readonly number[])[] = [
  ...rules.map(({ classes }) => classes),
  ...animals.map(([, classes]) => classes),
];

/** Rows of 10 ms from one patch to the next. */
export const eventHopRows = 24;
const hopSeconds = eventHopRows / 100;
/** A patch tells what is in its middle. */
const patchSeconds = 0.96;
const headSeconds = 0.24;
const tailSeconds = 0.72;
/** Two stretches of one sound with up to so many patches between them are one. */
const mostGapPatches = 2;

/**
 * @param scores of each of `eventGroups`: one of every patch, all of one length
 * @returns in the order of their starts
 */
export function soundEvents(scores: readonly Float32Array[]): SoundEvent[] {
  const patches = scores[0]?.length ?? 0;
  // The greatest of a patch and its neighbours: a sound that is louder a moment later is the one that is heard.
  const near = scores
    .slice(1, rules.length)
    .map((curve) => curve.map((score, at) => Math.max(score, curve[at - 1] ?? 0, curve[at + 1] ?? 0)));
  const strongest = Float32Array.from({ length: patches }, (_, at) =>
    near.reduce((most, curve) => Math.max(most, curve[at] as number), 0),
  );
  const found = rules.flatMap(({ least, patches: count, sound }, rule) => {
    if (sound === null) return [];
    const curve = scores[rule] as Float32Array;
    const own = near[rule - 1];
    const heard =
      own === undefined
        ? curve
        : curve.map((s, at) => ((own[at] as number) >= (strongest[at] as number) - 1e-6 ? s : 0));
    return stretches(heard, least, count).map(([first, last]): SoundEvent => {
      const score = heard.subarray(first, last + 1).reduce((most, each) => Math.max(most, each), 0);
      return {
        startSeconds: first === 0 ? 0 : first * hopSeconds + headSeconds,
        endSeconds: last * hopSeconds + (last === patches - 1 ? patchSeconds : tailSeconds),
        sound: sound === 'animal' ? animalIn(scores, first, last) : sound,
        score,
      };
    });
  });
  return found.toSorted((a, b) => a.startSeconds - b.startSeconds);
}

/** First and last patches of what reaches `least` so many times, and half of it throughout. */
function stretches(curve: Float32Array, least: number, count: number): [first: number, last: number][] {
  const found: [number, number][] = [];
  for (let at = 0; at < curve.length; at += 1) {
    if ((curve[at] as number) < least) continue;
    let [first, last] = [at, at];
    while (first > 0 && (curve[first - 1] as number) >= least / 2) first -= 1;
    while (last + 1 < curve.length && (curve[last + 1] as number) >= least / 2) last += 1;
    at = last;
    if (curve.subarray(first, last + 1).filter((score) => score >= least).length < count) continue;
    const before = found.at(-1);
    if (before !== undefined && first - before[1] <= mostGapPatches + 1) before[1] = last;
    else found.push([first, last]);
  }
  return found;
}

function animalIn(scores: readonly Float32Array[], first: number, last: number): SoundKind {
  let [best, most]: [SoundKind, number] = ['animal', leastName];
  for (const [index, [name]] of animals.entries())
    for (const score of (scores[rules.length + index] as Float32Array).subarray(first, last + 1))
      if (score >= most) [best, most] = [name, score];
  return best;
}
