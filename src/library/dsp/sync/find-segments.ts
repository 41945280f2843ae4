// Where the segments of one recording lie in another, by what both sound like.
import { createStft, type Stft } from '../../kernels/stft.ts';
import { bandCount, type Marks, marksPerSecond } from './marks.ts';

/** Where a segment may lie. */
export interface Place {
  /** Of the segment's start in its own recording, seconds. */
  readonly atSeconds: number;
  /** From there to its place in the other recording, seconds. */
  readonly lagSeconds: number;
  /** 1: the same. */
  readonly alike: number;
  /** Height above the median of all lags, in their usual deviation. */
  readonly contrast: number;
}

/** Windows with less on average hold nothing to compare. */
export const leastActive = 0.15;

const size = 16_384;
const bins = size / 2 + 1;
/** Segments are no longer, rows. */
const mostRows = 30 * marksPerSecond;
const fresh = size - mostRows;
const placesKept = 3;
/** Peaks this near belong together, rows. */
const nearRows = 25;
/** The middle of all lags is measured on every so many. */
const sampledEvery = 8;
/** A stretch with less of the usual energy counts as if it had this. */
const leastEnergyShare = 0.05;

export interface SegmentSearch {
  /** The best places of rows `from` to `from + rows` of `marks`, best first. */
  find(marks: Marks, from: number, rows: number): Place[];
}

/** Running sum of the energy of all bands, by row. */
function energySums({ bands, count }: Marks): Float64Array {
  const sums = new Float64Array(count + 1);
  for (let band = 0; band < bandCount; band += 1)
    for (let row = 0; row < count; row += 1)
      sums[row + 1] = (sums[row + 1] as number) + (bands[band * count + row] as number) ** 2;
  for (let row = 0; row < count; row += 1) sums[row + 1] = (sums[row + 1] as number) + (sums[row] as number);
  return sums;
}

/** Running sum of the activity, by row. */
export function activitySums({ activity }: Marks): Float64Array {
  const sums = new Float64Array(activity.length + 1);
  for (const [row, each] of activity.entries()) sums[row + 1] = (sums[row] as number) + Math.min(1, each);
  return sums;
}

/** Mean activity of a window, whose part outside of the recording counts nothing. */
export function activeShare(sums: Float64Array, from: number, rows: number): number {
  const last = sums.length - 1;
  const within = (row: number): number => sums[Math.max(0, Math.min(last, row))] as number;
  return (within(from + rows) - within(from)) / rows;
}

const medianOf = (values: Float32Array): number => values.sort()[values.length >> 1] ?? 0;

/** The largest peaks of a curve, and how far each is above the rest. */
function peaksOf(curve: Float32Array): { at: number; alike: number; contrast: number }[] {
  const some = Float32Array.from({ length: Math.ceil(curve.length / sampledEvery) }, (_, index) => {
    return curve[index * sampledEvery] as number;
  });
  const median = medianOf(some);
  const spread = 1.4826 * medianOf(some.map((each) => Math.abs(each - median))) + 1e-9;
  return Array.from({ length: placesKept }, () => {
    let best = 0;
    for (let at = 1; at < curve.length; at += 1) if ((curve[at] as number) > (curve[best] as number)) best = at;
    const alike = curve[best] as number;
    const [before = alike, after = alike] = [curve[best - 1], curve[best + 1]];
    const bend = before - 2 * alike + after;
    const shift = bend < 0 && before > -1 && after > -1 ? (0.5 * (before - after)) / bend : 0;
    curve.fill(-9, Math.max(0, best - nearRows), best + nearRows + 1);
    return { at: best + shift, alike, contrast: (alike - median) / spread };
  });
}

/** The spectra of all blocks of a band, for overlap-save. */
function spectraOf(marks: Marks, blocks: number): { re: Float32Array; im: Float32Array } {
  const stft = createStft({ window: new Float32Array(size).fill(1), hop: fresh });
  const padded = new Float32Array((blocks - 1) * fresh + size);
  const [re, im] = [new Float32Array(bandCount * blocks * bins), new Float32Array(bandCount * blocks * bins)];
  const length = blocks * bins;
  for (let band = 0; band < bandCount; band += 1) {
    padded.set(marks.bands.subarray(band * marks.count, (band + 1) * marks.count), mostRows);
    const place = [band * length, (band + 1) * length] as const;
    stft.forward(padded, blocks, 1, re.subarray(...place), im.subarray(...place));
  }
  return { re, im };
}

/** sum += spectrum * conj(segment), for every block of one band. */
function addProduct(
  [sumRe, sumIm]: readonly [Float32Array, Float32Array],
  [re, im]: readonly [Float32Array, Float32Array],
  [ofRe, ofIm]: readonly [Float32Array, Float32Array],
): void {
  for (let at = 0, bin = 0; at < sumRe.length; at += 1) {
    const [a, b, c, d] = [re[at] as number, im[at] as number, ofRe[bin] as number, ofIm[bin] as number];
    sumRe[at] = (sumRe[at] as number) + a * c + b * d;
    sumIm[at] = (sumIm[at] as number) + b * c - a * d;
    bin += 1;
    if (bin === bins) bin = 0;
  }
}

/** Prepares a recording in which segments of others are looked for: 20 MB for an hour of it. */
export function searchIn(marks: Marks): SegmentSearch {
  const blocks = Math.max(1, Math.ceil((marks.count + mostRows) / fresh));
  const length = blocks * bins;
  const spectra = spectraOf(marks, blocks);
  const sums = energySums(marks);
  const stft: Stft = createStft({ window: new Float32Array(size).fill(1), hop: size });
  const segment = new Float32Array(bandCount * size);
  const [ofRe, ofIm] = [new Float32Array(bandCount * bins), new Float32Array(bandCount * bins)];
  const [sumRe, sumIm] = [new Float32Array(length), new Float32Array(length)];
  const out = new Float32Array(blocks * size);
  const energy = (from: number, rows: number): number => {
    const within = (row: number): number => sums[Math.max(0, Math.min(marks.count, row))] as number;
    return within(from + rows) - within(from);
  };
  return {
    find(other, from, rows) {
      segment.fill(0);
      let own = 0;
      for (let band = 0; band < bandCount; band += 1) {
        const part = other.bands.subarray(band * other.count + from, band * other.count + from + rows);
        segment.set(part, band * size);
        for (const each of part) own += each * each;
      }
      stft.forward(segment, bandCount, 1, ofRe, ofIm);
      sumRe.fill(0);
      sumIm.fill(0);
      for (let band = 0; band < bandCount; band += 1)
        addProduct(
          [sumRe, sumIm],
          [
            spectra.re.subarray(band * length, (band + 1) * length),
            spectra.im.subarray(band * length, (band + 1) * length),
          ],
          [ofRe.subarray(band * bins, (band + 1) * bins), ofIm.subarray(band * bins, (band + 1) * bins)],
        );
      out.fill(0);
      stft.inverse(sumRe, sumIm, blocks, 1 / size, out);
      // From the segment's last row on the other's first, to its first row on the other's last.
      const usual = ((leastEnergyShare * (sums[marks.count] as number)) / Math.max(marks.count, rows)) * rows + 1;
      const curve = Float32Array.from({ length: rows - 1 + marks.count }, (_, index) => {
        const start = index - rows + 1;
        const at = start + mostRows;
        const value = out[Math.floor(at / fresh) * size + (at % fresh)] as number;
        return value / Math.sqrt((own + 1) * Math.max(energy(start, rows), usual));
      });
      return peaksOf(curve).map(({ at, alike, contrast }) => ({
        atSeconds: from / marksPerSecond,
        lagSeconds: (at - rows + 1 - from) / marksPerSecond,
        alike,
        contrast,
      }));
    },
  };
}

/** Starts of segments that are spread over the active parts of a recording, rows. */
export function activeSegments(marks: Marks, rows: number, most: number): number[] {
  const sums = activitySums(marks);
  const starts: number[] = [];
  for (let from = 0; from <= Math.max(0, marks.count - rows); from += Math.max(1, rows >> 1))
    if (activeShare(sums, from, rows) > leastActive) starts.push(from);
  if (starts.length <= most) return starts;
  return Array.from(
    { length: most },
    (_, index) => starts[Math.round((index * (starts.length - 1)) / (most - 1))] as number,
  );
}
