import { principalAxis } from '../series/principal-axis.ts';
import { slidingMin } from '../series/sliding.ts';
import { levelHopSeconds } from '../voicing/speech-levels.ts';
import { type Timbre, timbreSize, timbreStep } from '../voicing/timbre.ts';

/** Axes for distinguishing voices. */
export const voiceAxes = 2;
/** Frames this far below the loudest nearby are pauses and consonants, with the room's spectrum, dB. */
const faintDb = 20;
const nearSeconds = 0.6;
/** Voices are compared by means over this much speech: in less, sounds differ rather than voices. */
const blockPieces = 8;
const leastBlockFrames = 12;
/** Of about 25 frames in a block. */
const blockFrames = 25;
/** Axes need at least this much speech: 20 s. */
const leastBlocks = 12;
/** Variance of blocks along an axis that distinguishes voices, relative to that along the others. */
const leastSpread = 14;
/** Of the twelve axes this many may distinguish voices; the variance of the others is one voice's. */
const apartAxes = 3;
/** Least variance of the sounds of one voice. */
const leastVariance = 0.03;
/** Axes are for this many pieces of speech: voices change within ten hours. 5 minutes. */
const chapterPieces = 1500;

/** Pieces of speech, in hops. */
export interface SpeechPieces {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** 1 where a piece starts a turn. */
  readonly newTurn: Uint8Array;
}

/** The position of each piece's voice, for sums over pieces. */
export interface VoicePlaces {
  /** `voiceAxes` sums over the frames of each piece; a second and a half of one voice varies by about 1 on average. */
  readonly sums: Float64Array;
  /** Frames of each piece. */
  readonly frames: Float64Array;
}

/** Frames with a clear voice. */
function clearFrames(energy: Float32Array, frames: number, hopSeconds: number): Uint8Array {
  const hopsEach = hopSeconds / levelHopSeconds;
  const powers = Float32Array.from({ length: frames }, (_, frame) => {
    const [from, to] = [Math.floor(frame * hopsEach), Math.min(energy.length, Math.ceil((frame + 1) * hopsEach))];
    let sum = 0;
    for (let hop = from; hop < to; hop += 1) sum += energy[hop] as number;
    return to > from ? sum / (to - from) : 0;
  });
  const least = slidingMin(
    powers.map((power) => -power),
    Math.round(nearSeconds / hopSeconds),
  );
  return Uint8Array.from(powers, (power, frame) =>
    power > 1e-10 && power > -(least[frame] as number) * 10 ** (-faintDb / 10) ? 1 : 0,
  );
}

/** Visits the coefficients of the clear frames between two hops. @returns their number */
function visitFrames(
  { values, hopSeconds }: Timbre,
  clear: Uint8Array,
  start: number,
  end: number,
  visit: (row: Int8Array) => void,
): number {
  const frameOf = (hop: number): number => Math.round((hop * levelHopSeconds) / hopSeconds - 0.5);
  let count = 0;
  for (let frame = Math.max(0, frameOf(start)); frame < Math.min(clear.length, frameOf(end)); frame += 1) {
    if (clear[frame] !== 1) continue;
    visit(values.subarray(frame * timbreSize, (frame + 1) * timbreSize));
    count += 1;
  }
  return count;
}

/** The axes that distinguish the voices of some pieces; none for a single voice, or too little speech. */
function findAxes(
  timbre: Timbre,
  clear: Uint8Array,
  { starts, ends }: SpeechPieces,
  from: number,
  to: number,
): Float64Array[] {
  const means: Float64Array[] = [];
  const within = new Float64Array(timbreSize);
  let frames = 0;
  for (let first = from; first < to; first += blockPieces) {
    const sum = new Float64Array(timbreSize);
    const squares = new Float64Array(timbreSize);
    let count = 0;
    for (let piece = first; piece < Math.min(to, first + blockPieces); piece += 1)
      count += visitFrames(timbre, clear, starts[piece] as number, ends[piece] as number, (row) => {
        for (const [order, steps] of row.entries()) {
          const value = timbreStep * steps;
          sum[order]! += value;
          squares[order]! += value * value;
        }
      });
    if (count < leastBlockFrames) continue;
    for (let order = 0; order < timbreSize; order += 1)
      within[order]! += (squares[order] as number) - (sum[order] as number) ** 2 / count;
    frames += count;
    means.push(sum.map((value) => value / count));
  }
  if (means.length < leastBlocks) return [];
  const deviations = within.map((square) => Math.sqrt(square / frames + leastVariance));
  const middle = Float64Array.from({ length: timbreSize }, (_, order) =>
    means.reduce((sum, mean) => sum + (mean[order] as number) / means.length, 0),
  );
  const scatter = new Float64Array(timbreSize * timbreSize);
  for (const mean of means) {
    const away = mean.map((value, order) => (value - (middle[order] as number)) / (deviations[order] as number));
    for (let i = 0; i < timbreSize; i += 1)
      for (let j = 0; j < timbreSize; j += 1)
        scatter[i * timbreSize + j]! += ((away[i] as number) * (away[j] as number)) / means.length;
  }
  let rest = 0;
  for (let order = 0; order < timbreSize; order += 1) rest += scatter[order * (timbreSize + 1)] as number;
  const axes = Array.from({ length: apartAxes }, () => {
    const axis = principalAxis(scatter);
    for (let i = 0; i < timbreSize; i += 1)
      for (let j = 0; j < timbreSize; j += 1)
        scatter[i * timbreSize + j]! -= axis.value * (axis.vector[i] as number) * (axis.vector[j] as number);
    rest -= axis.value;
    return axis;
  });
  const ofOneVoice = rest / (timbreSize - apartAxes);
  if (!(ofOneVoice > 1e-9)) return [];
  const scale = timbreStep / Math.sqrt(ofOneVoice * blockFrames);
  return axes
    .slice(0, voiceAxes)
    .filter(({ value }) => value >= leastSpread * ofOneVoice)
    .map(({ vector }) => vector.map((x, order) => (scale * x) / (deviations[order] as number)));
}

/** Ends of chapters of about five minutes: at turns. */
function chaptersOf({ newTurn }: SpeechPieces): number[] {
  const count = newTurn.length;
  const chapters = Math.max(1, Math.round(count / chapterPieces));
  return Array.from({ length: chapters }, (_, index) => {
    const wanted = Math.round(((index + 1) * count) / chapters);
    const turn = newTurn.indexOf(1, wanted);
    return turn < 0 || turn >= wanted + chapterPieces / 2 || index === chapters - 1 ? Math.min(count, wanted) : turn;
  });
}

/**
 * Distinguishes voices without a network, as far as possible: the position of each piece of speech on the axes along
 * which the recording's spectra differ most. Method: cepstra of speech in units of their variation within a second and
 * a half, means of such blocks, principal components of these (after linear discriminant analysis; Fisher 1936). An
 * axis counts where the blocks' variance along it is 14 times the rest: a single voice has up to 12 (measured: 6 to 12
 * for one voice, 14 to 54 for two). Computed anew for every five minutes of speech. Deterministic; time is proportional
 * to length.
 * @returns null where no axis counts
 */
export function placeVoices(timbre: Timbre, energy: Float32Array, pieces: SpeechPieces): VoicePlaces | null {
  const { starts, ends } = pieces;
  const clear = clearFrames(energy, Math.floor(timbre.values.length / timbreSize), timbre.hopSeconds);
  const sums = new Float64Array(starts.length * voiceAxes);
  const frames = new Float64Array(starts.length);
  let from = 0;
  let found = false;
  for (const to of chaptersOf(pieces)) {
    const axes = findAxes(timbre, clear, pieces, from, to);
    if (axes.length > 0) {
      found = true;
      for (let piece = from; piece < to; piece += 1)
        frames[piece] = visitFrames(timbre, clear, starts[piece] as number, ends[piece] as number, (row) => {
          for (const [index, weights] of axes.entries())
            for (const [order, steps] of row.entries())
              sums[piece * voiceAxes + index]! += (weights[order] as number) * steps;
        });
    }
    from = to;
  }
  return found ? { sums, frames } : null;
}
