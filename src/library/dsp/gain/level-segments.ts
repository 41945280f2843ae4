import { visitRuns } from '../series/sliding.ts';
import { integratedOfHops } from '../voicing/hop-loudness.ts';
import { levelHopSeconds, loudnessOf } from '../voicing/speech-levels.ts';
import type { Timbre } from '../voicing/timbre.ts';
import { placeVoices, voiceAxes, type VoicePlaces } from './voice-places.ts';

/** A stretch of speech at one level: usually one speaker's turn. Hops, `end` exclusive. */
export interface LevelSegment {
  readonly start: number;
  readonly end: number;
  /** Programme loudness from start to end, LUFS (gated as BS.1770): a meter's reading of the turn alone. */
  readonly lufs: number;
  /** K-weighted mean square of its speech. */
  readonly energy: number;
  /** Number of hops with speech. */
  readonly speechHops: number;
  /** The main speaker; 0 if unknown. */
  readonly speaker: number;
}

/** Levels are compared in pieces of this many hops (0.2 s at 20 ms: a syllable). */
const pieceHops = 10;
/** Cost of a change of level, in dB squared: justified by 12 dB for 0.8 s, or 4 dB for 8 s. */
const changePenalty = 280;
/**
 * Weight of the distance of voices (voice-places.ts), in dB squared per unit: where voices differ clearly, 1.5 s of
 * another one are a turn at any level.
 */
const voiceWeight = 8;
/**
 * Cost of a change at the start of a stretch of at least 1.3 s after a pause: a turn of its own. Justified by 2 dB
 * between turns of 1.5 s. A word or two after a pause must differ more.
 */
const turnPenalty = 12;
const turnHops = 45;
const pausePenalty = 150;
/** Speech is joined over shorter gaps (speech-activity.ts), so every gap in it is a pause. */
const pauseHops = 10;
/** This many pieces of another speaker are certain, if known: they never share a stretch. */
const surePieces = 3;
/** Turns of one stretch this far from its loudness are separated, dB. */
const apartDb = 1;
/** Longest segment in pieces: limits the search, and lets the gain follow a voice that drifts off the microphone. */
const longestPieces = 100;
/**
 * Levels are limited to this far below the loudness of the speech between two pauses, dB: a soft consonant is not a
 * turn, and soft turns beside loud ones can still be distinguished.
 */
const deepestDb = 18;

/** Pieces of speech in order, as arrays: ten hours have more than a hundred thousand. */
interface Pieces {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Level, dB: limited below by the loudness of the speech between the same two pauses. */
  readonly levels: Float64Array;
  /** 1 where a pause or a change of speaker precedes the piece. */
  readonly newTurn: Uint8Array;
  /** The speaker of the piece; 0 if unknown. */
  readonly speakers: Uint8Array;
}

/** Mean energy of the hops with speech between start and end. */
function speechEnergy(
  energy: Float32Array,
  speech: Uint8Array,
  start: number,
  end: number,
): { sum: number; hops: number } {
  let sum = 0;
  let hops = 0;
  for (let hop = start; hop < end; hop += 1) {
    if (speech[hop] !== 1) continue;
    sum += energy[hop] as number;
    hops += 1;
  }
  return { sum, hops };
}

/**
 * Loudness of all speech, LUFS (gated as BS.1770: hops 10 LU below the first mean do not count); null without speech.
 */
export function speechLoudness(energy: Float32Array, speech: Uint8Array): number | null {
  const first = speechEnergy(energy, speech, 0, speech.length);
  if (first.hops === 0) return null;
  const gate = (first.sum / first.hops) * 0.1;
  let sum = 0;
  let hops = 0;
  for (let hop = 0; hop < speech.length; hop += 1) {
    if (speech[hop] !== 1 || (energy[hop] as number) < gate) continue;
    sum += energy[hop] as number;
    hops += 1;
  }
  return hops === 0 ? null : loudnessOf(sum / hops);
}

function piecesOf(energy: Float32Array, speech: Uint8Array, speakers: Uint8Array | null): Pieces {
  const piecesIn = (hops: number): number => Math.max(1, Math.round(hops / pieceHops));
  let total = 0;
  visitRuns(speech, (from, to) => {
    total += piecesIn(to - from);
  });
  const pieces: Pieces = {
    starts: new Int32Array(total),
    ends: new Int32Array(total),
    levels: new Float64Array(total),
    newTurn: new Uint8Array(total),
    speakers: new Uint8Array(total),
  };
  let at = 0;
  let previousEnd = Number.NEGATIVE_INFINITY;
  let speaker = 0;
  visitRuns(speech, (from, to) => {
    const count = piecesIn(to - from);
    const lowest = (speechLoudness(energy.subarray(from, to), speech.subarray(from, to)) ?? 0) - deepestDb;
    for (let index = 0; index < count; index += 1) {
      const start = from + Math.round(((to - from) * index) / count);
      const end = from + Math.round(((to - from) * (index + 1)) / count);
      const { sum, hops } = speechEnergy(energy, speech, start, end);
      pieces.starts[at] = start;
      pieces.ends[at] = end;
      pieces.levels[at] = Math.max(lowest, loudnessOf(Math.max(1e-12, sum / hops)));
      const speaks = speakers?.[(start + end) >> 1] ?? 0;
      const another = speaks !== 0 && speaker !== 0 && speaks !== speaker;
      if (speaks !== 0) speaker = speaks;
      pieces.speakers[at] = speaks;
      pieces.newTurn[at] = another || start - previousEnd >= pauseHops ? 1 : 0;
      at += 1;
      previousEnd = end;
    }
  });
  return pieces;
}

/** 1 for pieces that start another speaker's words, where both speak long enough to be certain. */
function sureChanges({ speakers }: Pieces): Uint8Array {
  const changes = new Uint8Array(speakers.length);
  let sure = 0;
  let [speaker, from, said] = [0, 0, 0];
  for (const [index, speaks] of speakers.entries()) {
    if (speaks === 0) continue;
    if (speaks !== speaker) [speaker, from, said] = [speaks, index, 0];
    said += 1;
    if (said !== surePieces) continue;
    if (sure !== 0 && sure !== speaker) changes[from] = 1;
    sure = speaker;
  }
  return changes;
}

function mostHeard(speech: Uint8Array, speakers: Uint8Array | null, start: number, end: number): number {
  const hops = new Map<number, number>();
  let best = 0;
  for (let hop = start; hop < end; hop += 1) {
    const speaker = speakers?.[hop] ?? 0;
    if (speaker === 0 || speech[hop] !== 1) continue;
    hops.set(speaker, (hops.get(speaker) ?? 0) + 1);
    if ((hops.get(speaker) ?? 0) > (hops.get(best) ?? 0)) best = speaker;
  }
  return best;
}

/**
 * Where to divide a stretch whose turns measure differently from its syllables: at the pause with the greatest
 * difference between both sides, if a side is a turn and more than a decibel from the whole. null: nowhere.
 */
function turnApart(
  { starts, ends, newTurn }: Pieces,
  first: number,
  end: number,
  lufs: number,
  lufsOf: (first: number, end: number) => number,
): number | null {
  let [cut, most]: [number | null, number] = [null, apartDb];
  for (let at = first + 1; at < end; at += 1) {
    if (newTurn[at] === 0) continue;
    const isTurn = (from: number, to: number): boolean =>
      (ends[to - 1] as number) - (starts[from] as number) >= turnHops;
    if (!isTurn(first, at) || !isTurn(at, end)) continue;
    const apart = Math.max(Math.abs(lufsOf(first, at) - lufs), Math.abs(lufsOf(at, end) - lufs));
    if (apart > most) [cut, most] = [at, apart];
  }
  return cut;
}

/**
 * For each piece, the start of the stretch that ends there, by dynamic programming.
 * @param voices null if voices cannot be distinguished
 */
function bestCuts(pieces: Pieces, voices: VoicePlaces | null): Int32Array {
  const { starts, ends, levels, newTurn } = pieces;
  const changes = sureChanges(pieces);
  const count = starts.length;
  const runningSum = (valueOf: (index: number) => number): Float64Array => {
    const sums = new Float64Array(count + 1);
    for (let index = 0; index < count; index += 1) sums[index + 1] = (sums[index] as number) + valueOf(index);
    return sums;
  };
  const sums = runningSum((index) => levels[index] as number);
  const squares = runningSum((index) => (levels[index] as number) ** 2);
  const frames = voices && runningSum((index) => voices.frames[index] as number);
  const places = voices
    ? Array.from({ length: voiceAxes }, (_, axis) =>
        runningSum((index) => voices.sums[index * voiceAxes + axis] as number),
      )
    : [];
  /** Variation of the voice within a stretch, without the part that is equal for all divisions. */
  const voiceCost = (start: number, end: number): number => {
    const heard = frames === null ? 0 : (frames[end] as number) - (frames[start] as number);
    if (heard === 0) return 0;
    let square = 0;
    for (const place of places) square += ((place[end] as number) - (place[start] as number)) ** 2;
    return (-voiceWeight * square) / heard;
  };
  const best = new Float64Array(count + 1);
  const from = new Int32Array(count + 1);
  for (let end = 1; end <= count; end += 1) {
    best[end] = Number.POSITIVE_INFINITY;
    for (let start = end - 1; start >= Math.max(0, end - longestPieces); start -= 1) {
      const n = end - start;
      const sum = (sums[end] as number) - (sums[start] as number);
      const spread = (squares[end] as number) - (squares[start] as number) - (sum * sum) / n;
      const isTurn = (ends[end - 1] as number) - (starts[start] as number) >= turnHops;
      const penalty = newTurn[start] === 0 ? changePenalty : isTurn ? turnPenalty : pausePenalty;
      const cost = (best[start] as number) + spread + penalty + voiceCost(start, end);
      if (cost < (best[end] as number)) {
        best[end] = cost;
        from[end] = start;
      }
      if (changes[start] === 1) break;
    }
  }
  return from;
}

/** Divisions without a pause between levels this far apart are moved to the step, dB. */
const steepDb = 6;

/** Moves a division between two pieces to the hop, up to a piece away, where the level steps. Changes `pieces`. */
function moveCuts({ starts, ends, levels }: Pieces, from: Int32Array, energy: Float32Array): void {
  const meanLevel = (first: number, end: number): number =>
    levels.subarray(first, end).reduce((sum, level) => sum + level, 0) / (end - first);
  for (
    let [end, next] = [from[starts.length] as number, starts.length];
    end > 0;
    next = end, end = from[end] as number
  ) {
    const [start, stop] = [starts[end - 1] as number, ends[end] as number];
    if (ends[end - 1] !== starts[end]) continue;
    const [before, after] = [meanLevel(from[end] as number, end), meanLevel(end, next)];
    if (Math.abs(before - after) < steepDb) continue;
    const lowest = Math.min(before, after);
    let [cost, least, cut] = [0, 0, start];
    for (let hop = start; hop < stop; hop += 1) {
      const level = Math.max(lowest, loudnessOf(Math.max(1e-12, energy[hop] as number)));
      cost += (level - before) ** 2 - (level - after) ** 2;
      if (cost < least && hop + 1 < stop) [least, cut] = [cost, hop + 1];
    }
    if (cut === start) continue;
    ends[end - 1] = cut;
    starts[end] = cut;
  }
}

/**
 * Divides speech into stretches of one level each. Method: optimal partitioning of the levels of its syllables into
 * constants (least sum of squared deviations in dB plus a penalty per change; Jackson et al., "An algorithm for optimal
 * partitioning of data on an interval", 2005), exact up to the longest segment. Voices within a stretch should also be
 * similar (voice-places.ts), since networks often miss speakers where people interrupt each other. Deterministic; time
 * is proportional to length.
 * @param speakers the speaker of each hop, if known (0: none, or several): a change starts a turn, as after a pause
 * @param timbre of the recording, if measured
 */
export function cutIntoLevels(
  energy: Float32Array,
  speech: Uint8Array,
  speakers: Uint8Array | null = null,
  timbre: Timbre | null = null,
): LevelSegment[] {
  const pieces = piecesOf(energy, speech, speakers);
  const { starts, ends } = pieces;
  const voices = timbre === null ? null : placeVoices(timbre, energy, pieces);
  const from = bestCuts(pieces, voices);
  moveCuts(pieces, from, energy);
  const lufsOf = (first: number, end: number): number => {
    const [start, stop] = [starts[first] as number, ends[end - 1] as number];
    const { sum, hops } = speechEnergy(energy, speech, start, stop);
    return (
      integratedOfHops(energy.subarray(start, stop), levelHopSeconds, null) ?? loudnessOf(Math.max(1e-12, sum / hops))
    );
  };
  const segments: LevelSegment[] = [];
  /** Pieces from `first` to `end`, last to first. */
  const add = (first: number, end: number): void => {
    const lufs = lufsOf(first, end);
    const cut = turnApart(pieces, first, end, lufs, lufsOf);
    if (cut !== null) {
      add(cut, end);
      add(first, cut);
      return;
    }
    const [start, stop] = [starts[first] as number, ends[end - 1] as number];
    const { sum, hops } = speechEnergy(energy, speech, start, stop);
    segments.push({
      start,
      end: stop,
      lufs,
      energy: sum / hops,
      speechHops: hops,
      speaker: mostHeard(speech, speakers, start, stop),
    });
  };
  for (let end = starts.length; end > 0; end = from[end] as number) add(from[end] as number, end);
  return segments.toReversed();
}
