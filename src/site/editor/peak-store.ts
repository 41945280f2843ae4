// Peaks of the whole recording at three levels, in windows that are fetched when they are looked at.
import { signal } from '@preact/signals';

/** Bins of a window; the service gives at most 16,384. */
const windowBins = 8192;

export interface PeakLevel {
  readonly perSecond: number;
  readonly count: number;
}

/** Reads bins of a level: pairs of signed bytes, minimum and maximum. */
export type ReadPeaks = (level: PeakLevel, first: number, count: number) => Promise<Int8Array>;

export class PeakStore {
  readonly levels: readonly PeakLevel[];
  /** The greatest sample, 0 to 1. */
  readonly peak: number;
  /** Counts windows that have come. */
  readonly come = signal(0);
  private readonly read: ReadPeaks;
  private readonly windows = new Map<number, Map<number, Int8Array | Promise<void>>>();

  constructor(levels: readonly PeakLevel[], peak: number, read: ReadPeaks) {
    this.levels = levels.toSorted((a, b) => a.perSecond - b.perSecond);
    this.peak = Math.max(peak, 1 / 128);
    this.read = read;
  }

  /** The coarsest level with at least a bin for each pixel. */
  levelFor(binsPerSecond: number): PeakLevel | null {
    return this.levels.find(({ perSecond }) => perSecond >= binsPerSecond) ?? this.levels.at(-1) ?? null;
  }

  /** A window of a level; null: it is on its way, and `come` changes when it is there. */
  window(level: PeakLevel, index: number): Int8Array | null {
    let own = this.windows.get(level.perSecond);
    if (own === undefined) this.windows.set(level.perSecond, (own = new Map()));
    const found = own.get(index);
    if (found instanceof Int8Array) return found;
    if (found === undefined) own.set(index, this.fetch(level, index, own));
    return null;
  }

  private async fetch(level: PeakLevel, index: number, own: Map<number, Int8Array | Promise<void>>): Promise<void> {
    const first = index * windowBins;
    try {
      own.set(index, await this.read(level, first, Math.min(windowBins, level.count - first)));
    } catch {
      // A later look tries again.
      setTimeout(() => own.delete(index), 2000);
      return;
    }
    this.come.value += 1;
  }

  /** Minimum and maximum of bins [from, to), as signed bytes, into `into`; false: not there yet. */
  range(level: PeakLevel, from: number, to: number, into: [number, number]): boolean {
    let [least, greatest] = [0, 0];
    let complete = true;
    for (let bin = Math.max(0, from); bin < Math.min(to, level.count);) {
      const index = Math.floor(bin / windowBins);
      const end = Math.min(to, (index + 1) * windowBins, level.count);
      const found = this.window(level, index);
      if (found === null) complete = false;
      else
        for (let at = (bin - index * windowBins) * 2; at < (end - index * windowBins) * 2; at += 2) {
          const [low, high] = [found[at] ?? 0, found[at + 1] ?? 0];
          if (low < least) least = low;
          if (high > greatest) greatest = high;
        }
      bin = end;
    }
    into[0] = least;
    into[1] = greatest;
    return complete;
  }

  /** The finest level as levels of sound, for placing seams. */
  finest(): { readonly perSecond: number; readonly count: number; levelAt(bin: number): number | null } | null {
    const level = this.levels.at(-1);
    if (level === undefined) return null;
    return {
      ...level,
      levelAt: (bin) => {
        const index = Math.floor(bin / windowBins);
        const found = this.window(level, index);
        if (found === null) return null;
        const at = (bin - index * windowBins) * 2;
        return Math.max(-(found[at] ?? 0), found[at + 1] ?? 0) / 128;
      },
    };
  }

  /** Fetches what lies between these moments of the finest level. */
  async ensure(spans: readonly (readonly [from: number, to: number])[]): Promise<void> {
    const level = this.levels.at(-1);
    if (level === undefined) return;
    const needed = new Set<number>();
    for (const [from, to] of spans)
      for (
        let index = Math.max(0, Math.floor((from * level.perSecond) / windowBins));
        index <= Math.min(level.count - 1, to * level.perSecond) / windowBins;
        index++
      )
        needed.add(index);
    for (const index of needed) {
      this.window(level, index);
      const pending = this.windows.get(level.perSecond)?.get(index);
      if (pending !== undefined && !(pending instanceof Int8Array)) await pending;
    }
  }
}
