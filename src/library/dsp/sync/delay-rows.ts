// How much later one recording is than another, every two seconds: a row of phase correlations around a line.
import { createStft } from '../../kernels/stft.ts';
import { type ClockLine, lagAt } from './clock-lines.ts';
import { activeShare, activitySums, leastActive } from './find-segments.ts';
import { frameBins, hann, type Marks, marksPerSecond, syncRate } from './marks.ts';

/** A recording as what looks for it sees it: mono, at `syncRate`. */
export interface SyncSound {
  readonly marks: Marks;
  readonly frames: number;
  /** Fills `out` with the samples from frame `from` on; 0 outside of the recording. */
  read(from: number, out: Float32Array): void;
}

const size = 16_384;
const bins = size / 2 + 1;
/** Lags are looked at up to this far from the line, frames: 64 ms. */
const reach = 512;
const windowFrames = size - 2 * reach;
const everyFrames = 2 * syncRate;
/** Values of a row a second of lag: two a frame, so that peaks of the highest band have a shape. */
export const lagRate = 2 * syncRate;
export const rowLength = 4 * reach + 1;
export const rowMiddle = 2 * reach;
const lanes = 8;
const lowBin = Math.ceil((120 * size) / syncRate);
const highBin = Math.floor((3600 * size) / syncRate);
/** Bins with less than this many times the noise count nothing. */
const overNoise = 1.5;
const fullScale = 32_767;

/** Rows around a line. Lag 0, in the middle, is on the line; a longer lag is later in the other recording. */
export interface DelayRows {
  readonly line: ClockLine;
  /** Of the middle of each row, in the first recording. */
  readonly times: readonly number[];
  /** Level of the other over the first, dB. */
  readonly levelsDb: readonly number[];
  /** Row after row, `rowLength` each, in steps of 1/32767; 32767: all phases agree. */
  readonly curves: Int16Array;
}

const meanPower = (samples: Float32Array): number =>
  samples.reduce((sum, each) => sum + each * each, 0) / samples.length;

/** The noise of a frame as a row's bins have it. */
function noiseOf({ noise }: Marks): Float32Array {
  const energy = (window: Float32Array): number => window.reduce((sum, each) => sum + each * each, 0);
  const frame = (frameBins - 1) * 2;
  const scale = (overNoise * energy(hann(windowFrames))) / energy(hann(frame));
  const step = size / frame;
  return Float32Array.from({ length: bins }, (_, bin) => {
    const at = Math.min(frameBins - 2, Math.floor(bin / step));
    const part = bin / step - at;
    return scale * ((noise[at] as number) * (1 - part) + (noise[at + 1] as number) * part);
  });
}

interface Spectra {
  readonly re: Float32Array;
  readonly im: Float32Array;
}
const spectra = (): Spectra => ({ re: new Float32Array(lanes * bins), im: new Float32Array(lanes * bins) });

/** The work memory of rows: what is outside of the band stays 0 in the results. */
interface Work {
  readonly one: Spectra;
  readonly other: Spectra;
  /** Phases of the other against the one, and the same half a frame on. */
  readonly onFrames: Spectra;
  readonly between: Spectra;
}

/** Phases of a row, turned by `shift` frames, each counting as much as its bin is over the noise. */
function whiten(
  { one, other, onFrames, between }: Work,
  row: number,
  shift: number,
  [noiseOne, noiseOther]: readonly [Float32Array, Float32Array],
): void {
  const angle = (2 * Math.PI) / size;
  let [turnRe, turnIm] = [Math.cos(angle * shift * lowBin), Math.sin(angle * shift * lowBin)];
  const [stepRe, stepIm] = [Math.cos(angle * shift), Math.sin(angle * shift)];
  let [halfRe, halfIm] = [Math.cos((angle * lowBin) / 2), Math.sin((angle * lowBin) / 2)];
  const [byRe, byIm] = [Math.cos(angle / 2), Math.sin(angle / 2)];
  for (let bin = lowBin, at = row * bins + lowBin; bin <= highBin; bin += 1, at += 1) {
    const a = one.re[at] as number;
    const b = one.im[at] as number;
    const c = other.re[at] as number;
    const d = other.im[at] as number;
    const powerOne = a * a + b * b + 1e-20;
    const powerOther = c * c + d * d + 1e-20;
    const trust =
      Math.max(0, 1 - (noiseOne[bin] as number) / powerOne) * Math.max(0, 1 - (noiseOther[bin] as number) / powerOther);
    const scale = trust / Math.sqrt(powerOne * powerOther);
    const re = (a * c + b * d) * scale;
    const im = (a * d - b * c) * scale;
    const outRe = re * turnRe - im * turnIm;
    const outIm = re * turnIm + im * turnRe;
    onFrames.re[at] = outRe;
    onFrames.im[at] = outIm;
    between.re[at] = outRe * halfRe - outIm * halfIm;
    between.im[at] = outRe * halfIm + outIm * halfRe;
    const turned = turnRe * stepRe - turnIm * stepIm;
    turnIm = turnRe * stepIm + turnIm * stepRe;
    turnRe = turned;
    const halfTurned = halfRe * byRe - halfIm * byIm;
    halfIm = halfRe * byIm + halfIm * byRe;
    halfRe = halfTurned;
  }
}

interface RowPlace {
  readonly from: number;
  /** Of the other's first sample under lag -64 ms, and what is left of the line's lag. */
  readonly otherFrom: number;
  readonly shift: number;
}

/** Which rows are made. */
export interface RowChoice {
  /** The lag around which rows are made, seconds, where it is no line; NaN: no row. */
  readonly follow?: (seconds: number) => number;
  /** Rows at most, evenly over the stretch. Default: one every 2 s. */
  readonly most?: number;
}

/** Rows of a stretch where somebody speaks in either recording, and all lags have sound of both. */
function placesOf(
  one: SyncSound,
  other: SyncSound,
  line: ClockLine,
  [start, end]: readonly [number, number],
  { follow = (seconds) => lagAt(line, seconds), most = Number.POSITIVE_INFINITY }: RowChoice,
): RowPlace[] {
  const [sumsOne, sumsOther] = [activitySums(one.marks), activitySums(other.marks)];
  const rows = (windowFrames / syncRate) * marksPerSecond;
  const places: RowPlace[] = [];
  const first = Math.max(0, Math.floor(start * syncRate));
  const last = Math.min(one.frames - windowFrames, end * syncRate);
  const every = everyFrames * Math.max(1, Math.ceil((last - first) / everyFrames / most));
  for (let from = first; from < last; from += every) {
    const lag = follow((from + windowFrames / 2) / syncRate) * syncRate;
    if (!Number.isFinite(lag)) continue;
    const otherFrom = from + Math.floor(lag) - reach;
    if (otherFrom < 0 || otherFrom + size > other.frames) continue;
    const row = Math.floor((from / syncRate) * marksPerSecond);
    const otherRow = Math.floor(((otherFrom + reach) / syncRate) * marksPerSecond);
    if (Math.max(activeShare(sumsOne, row, rows), activeShare(sumsOther, otherRow, rows)) < leastActive) continue;
    places.push({ from, otherFrom, shift: lag - Math.floor(lag) });
  }
  return places;
}

/** Rows of the stretch from `start` to `end` seconds of `one`. */
export function delayRows(
  one: SyncSound,
  other: SyncSound,
  line: ClockLine,
  stretch: readonly [number, number],
  choice: RowChoice = {},
): DelayRows {
  const places = placesOf(one, other, line, stretch, choice);
  const noise = [noiseOf(one.marks), noiseOf(other.marks)] as const;
  const forOne = createStft({ window: hann(windowFrames, size), hop: size });
  const flat = createStft({ window: new Float32Array(size).fill(1), hop: size });
  const [soundOne, soundOther] = [new Float32Array(lanes * size), new Float32Array(lanes * size)];
  const [out, outBetween] = [new Float32Array(lanes * size), new Float32Array(lanes * size)];
  const work: Work = { one: spectra(), other: spectra(), onFrames: spectra(), between: spectra() };
  const curves = new Int16Array(places.length * rowLength);
  const levelsDb: number[] = [];
  const scale = fullScale / (2 * (highBin - lowBin + 1));
  for (let first = 0; first < places.length; first += lanes) {
    const some = places.slice(first, first + lanes);
    for (const [row, { from, otherFrom }] of some.entries()) {
      const [own, its] = [soundOne, soundOther].map((all) => all.subarray(row * size, (row + 1) * size)) as [
        Float32Array,
        Float32Array,
      ];
      one.read(from, own);
      other.read(otherFrom, its);
      levelsDb.push(
        10 *
          Math.log10(
            (meanPower(its.subarray(reach, reach + windowFrames)) + 1e-12) /
              (meanPower(own.subarray(0, windowFrames)) + 1e-12),
          ),
      );
    }
    forOne.forward(soundOne, some.length, 1, work.one.re, work.one.im);
    flat.forward(soundOther, some.length, 1, work.other.re, work.other.im);
    for (const [row, { shift }] of some.entries()) whiten(work, row, shift, noise);
    out.fill(0);
    outBetween.fill(0);
    flat.inverse(work.onFrames.re, work.onFrames.im, some.length, scale, out);
    flat.inverse(work.between.re, work.between.im, some.length, scale, outBetween);
    for (let row = 0; row < some.length; row += 1)
      for (let lag = 0; lag < rowLength; lag += 1)
        curves[(first + row) * rowLength + lag] = Math.round(
          (lag % 2 === 0 ? out : outBetween)[row * size + (lag >> 1)] as number,
        );
  }
  return {
    line,
    times: places.map(({ from }) => (from + windowFrames / 2) / syncRate),
    levelsDb,
    curves,
  };
}
