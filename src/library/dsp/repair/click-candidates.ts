import { FloatList } from '../series/float-list.ts';

/** A short sound that may be a click. Hops count from the recording's begin. */
export interface ClickCandidate {
  readonly peakHop: number;
  readonly fromHop: number;
  /** Exclusive. */
  readonly toHop: number;
  readonly peakDb: number;
  readonly excessDb: number;
  /** The loudest of the pause around it, and the softer of the two sides in the mean, dB. */
  readonly pauseDb: number;
  readonly vowelDb: number;
}

/** Whole numbers up to here, and a part of it, are exact as 32-bit floats. */
const part = 2 ** 20;
const columns = 8;

/** Candidates of a whole recording: crackle has 30 a second for hours, which as objects would be hundreds of MB. */
export class ClickCandidates {
  private readonly list = new FloatList();
  private rows: Float32Array | null = null;

  push({ peakHop, fromHop, toHop, peakDb, excessDb, pauseDb, vowelDb }: ClickCandidate): void {
    this.list.push(Math.floor(peakHop / part));
    this.list.push(peakHop - Math.floor(peakHop / part) * part);
    for (const value of [peakHop - fromHop, toHop - peakHop, peakDb, excessDb, pauseDb, vowelDb]) this.list.push(value);
  }

  /** In the order in which they came; undefined beyond them. Nothing may be pushed afterwards. */
  at(index: number): ClickCandidate | undefined {
    this.rows ??= this.list.take();
    if (index < 0 || (index + 1) * columns > this.rows.length) return undefined;
    const [high, low, before, behind, peakDb, excessDb, pauseDb, vowelDb] = this.rows.subarray(
      index * columns,
      (index + 1) * columns,
    ) as unknown as [number, number, number, number, number, number, number, number];
    const peakHop = high * part + low;
    return { peakHop, fromHop: peakHop - before, toHop: peakHop + behind, peakDb, excessDb, pauseDb, vowelDb };
  }
}
