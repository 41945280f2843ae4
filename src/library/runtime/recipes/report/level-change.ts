import { powerToDb } from '../../../core/levels.ts';
import type { Course } from '../../../tools/course.ts';
import type { ReportedSound } from './sound.ts';

/** How much louder the output is at a time. */
export interface LevelChange {
  /** Of the input, middle of the stretch that was measured. */
  readonly seconds: number;
  /** null: cut, or too quiet in the input to say. */
  readonly db: number | null;
}

const mostPoints = 500;
/** A syllable or two. */
const leastWindowSeconds = 0.4;
/** What is quieter has no level that means something. */
const quietestDbfs = -80;
/** Of a limiter, a gate or digital silence: further down is the same. */
const deepestDb = -60;

function meanSquare(envelope: Float32Array, hopSeconds: number, from: number, to: number): number {
  const first = Math.max(0, Math.round(from / hopSeconds));
  const end = Math.min(envelope.length, Math.max(first + 1, Math.round(to / hopSeconds)));
  let sum = 0;
  for (let hop = first; hop < end; hop += 1) sum += envelope[hop] as number;
  return end > first ? sum / (end - first) : 0;
}

/** The level of the output minus that of the input, measured on both: what all gains together did. */
export function levelChange(before: ReportedSound, after: ReportedSound, { kept, toOutput }: Course): LevelChange[] {
  const count = Math.max(1, Math.min(mostPoints, Math.floor(before.seconds / leastWindowSeconds)));
  const window = before.seconds / count;
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [index * window, (index + 1) * window];
    const seconds = (from + to) / 2;
    const isKept = kept.some(({ startSeconds, endSeconds }) => startSeconds <= from + 1e-6 && endSeconds >= to - 1e-6);
    const was = powerToDb(meanSquare(before.levels.envelope, before.levels.hopSeconds, from, to));
    if (!isKept || !(was > quietestDbfs)) return { seconds, db: null };
    const start = toOutput(from);
    const becomes = powerToDb(meanSquare(after.levels.envelope, after.levels.hopSeconds, start, start + to - from));
    return { seconds, db: Math.max(deepestDb, becomes - was) };
  });
}
