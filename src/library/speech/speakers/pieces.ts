// The recording cut into pieces in which one person speaks, by what the windows hear: how many speak at a time, and where
// another voice takes over. Who it is, a piece's embedding tells; a window's own voices often mix people who take short
// turns (a third of them do in lively conversations), pieces hardly do.
import {
  firstFrameOf,
  frameSeconds,
  framesIn,
  framesOf,
  type HeardWindows,
  voicesIn,
  windowFrames,
} from './segmentation.ts';

/** Frames of the recording, the end not included. */
export interface Piece {
  readonly firstFrame: number;
  readonly endFrame: number;
}

export const pieceSeconds = ({ firstFrame, endFrame }: Piece): number =>
  frameSeconds(endFrame) - frameSeconds(firstFrame);

/** What the windows say together, frame by frame. */
export interface Outline {
  /** How many people speak: the mean of the windows, rounded. */
  readonly counts: Uint8Array;
  /** What share of the windows hears another voice take over within 0.15 s. */
  readonly changes: Float32Array;
}

/** Windows place the same change so far apart, seconds. */
const changeReachSeconds = 0.15;
/** Pauses up to this are inside of a piece, seconds. Longer ones part pieces, as somebody else may go on. */
const pauseSeconds = 0.3;
/** Shorter pieces say nothing about a voice, seconds. */
const leastSeconds = 0.25;

export function outlineOf(heard: HeardWindows): Outline {
  const frames = framesOf(heard);
  const windows = new Uint8Array(frames);
  const speaking = new Uint8Array(frames);
  const takeovers = new Uint8Array(frames);
  for (const [window, start] of heard.starts.entries()) {
    const first = firstFrameOf(start);
    let [last, lastAt] = [0, 0];
    for (let index = 0; index < windowFrames; index += 1) {
      const set = heard.voices[window * windowFrames + index] as number;
      const frame = first + index;
      windows[frame] = (windows[frame] as number) + 1;
      speaking[frame] = (speaking[frame] as number) + voicesIn(set);
      if (voicesIn(set) !== 1) continue;
      if (last !== 0 && set !== last) {
        // Between the two voices; they may overlap or pause there.
        const at = first + Math.round((index + lastAt + 1) / 2);
        takeovers[at] = (takeovers[at] as number) + 1;
      }
      [last, lastAt] = [set, index];
    }
  }
  const reach = Math.round(framesIn(changeReachSeconds));
  const changes = new Float32Array(frames);
  let near = 0;
  for (let frame = -reach; frame < frames; frame += 1) {
    near += (takeovers[frame + reach] ?? 0) - (takeovers[frame - reach - 1] ?? 0);
    if (frame >= 0) changes[frame] = near / (windows[frame] as number);
  }
  const counts = speaking.map((sum, frame) => Math.floor(sum / (windows[frame] as number) + 0.5));
  return { counts, changes };
}

/** Frames before which another voice takes over, as at least such a share of the windows says. */
export function takeoversOf({ changes }: Outline, leastShare: number): Uint8Array {
  const cuts = new Uint8Array(changes.length);
  for (let first = 0, end = 0; first < changes.length; first = end + 1) {
    for (end = first; end < changes.length && (changes[end] as number) >= leastShare;) end += 1;
    if (end === first) continue;
    // In the middle of where most windows say so.
    let best = first;
    for (let frame = first; frame < end; frame += 1)
      if ((changes[frame] as number) > (changes[best] as number)) best = frame;
    let last = best;
    while (last + 1 < end && changes[last + 1] === changes[best]) last += 1;
    cuts[Math.round((best + last) / 2)] = 1;
  }
  return cuts;
}

/**
 * Pieces of at least 0.25 s in which one person speaks, in order of time.
 * @param cuts frames before which a piece ends: see `takeoversOf`
 * @param longestSeconds about so long a piece may be: longer stretches are cut into equal parts
 */
export function cutPieces({ counts }: Outline, cuts: Uint8Array, longestSeconds: number): Piece[] {
  const pieces: Piece[] = [];
  const pause = Math.round(framesIn(pauseSeconds));
  let [first, end] = [-1, 0];
  const close = (): void => {
    if (first !== -1 && end - first >= framesIn(leastSeconds)) {
      const parts = Math.max(1, Math.round((end - first) / framesIn(longestSeconds)));
      const cut = (part: number): number => first + Math.round(((end - first) * part) / parts);
      for (let part = 0; part < parts; part += 1) pieces.push({ firstFrame: cut(part), endFrame: cut(part + 1) });
    }
    first = -1;
  };
  for (let frame = 0; frame < counts.length; frame += 1) {
    const count = counts[frame] as number;
    if (count > 1 || cuts[frame] === 1 || (count === 0 && frame - end >= pause)) close();
    if (count !== 1) continue;
    if (first === -1) first = frame;
    end = frame + 1;
  }
  close();
  return pieces;
}

/** Of each frame the piece that it lies in, -1 outside of all. */
export function piecesByFrame(pieces: readonly Piece[], frames: number): Int32Array {
  const at = new Int32Array(frames).fill(-1);
  for (const [index, { firstFrame, endFrame }] of pieces.entries()) at.fill(index, firstFrame, endFrame);
  return at;
}

/** A piece, and which of a window's own voices it is there: 0 to 2. */
export interface PlacedPiece {
  readonly piece: number;
  readonly voice: number;
}

/** Of each window the pieces in it, as far as one of its voices speaks alone in most of each. */
export function piecesInWindows(
  { starts, voices }: HeardWindows,
  pieces: readonly Piece[],
): readonly (readonly PlacedPiece[])[] {
  let oldest = 0;
  return starts.map((start, window) => {
    const first = firstFrameOf(start);
    while (oldest < pieces.length && (pieces[oldest] as Piece).endFrame <= first) oldest += 1;
    const placed: PlacedPiece[] = [];
    for (let piece = oldest; piece < pieces.length; piece += 1) {
      const { firstFrame, endFrame } = pieces[piece] as Piece;
      if (firstFrame >= first + windowFrames) break;
      const alone = [0, 0, 0];
      for (let frame = Math.max(first, firstFrame); frame < Math.min(endFrame, first + windowFrames); frame += 1) {
        const set = voices[window * windowFrames + frame - first] as number;
        if (voicesIn(set) === 1) alone[Math.log2(set)] = (alone[Math.log2(set)] as number) + 1;
      }
      const voice = alone.findIndex((count) => count > (endFrame - firstFrame) / 2);
      if (voice !== -1) placed.push({ piece, voice });
    }
    return placed;
  });
}
