// Cuts the recording into pieces with one speaker, by the windows' counts of voices and changes of voice. A piece's
// embedding tells who it is; a window's own voices often mix people who take short turns (a third of them in lively
// conversations), pieces hardly do.
import {
  firstFrameOf,
  frameSeconds,
  framesIn,
  framesOf,
  type HeardWindows,
  voicesIn,
  windowFrames,
} from './segmentation.ts';

/** Frames of the recording, end exclusive. */
export interface VoicePiece {
  readonly firstFrame: number;
  readonly endFrame: number;
}

export const pieceSeconds = ({ firstFrame, endFrame }: VoicePiece): number =>
  frameSeconds(endFrame) - frameSeconds(firstFrame);

/** The combined results of the windows, frame by frame. */
export interface Outline {
  /** Number of speakers: the mean of the windows, rounded. */
  readonly counts: Uint8Array;
  /** Share of the windows with a change of voice within 0.15 s. */
  readonly changes: Float32Array;
}

/** Distance between windows' positions of the same change, seconds. */
const changeReachSeconds = 0.15;
/** Longest pause inside a piece, seconds. Longer ones divide, since another speaker may continue. */
const pauseSeconds = 0.3;
/** Shorter pieces do not identify a voice, seconds. */
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

/** Frames before which the voice changes, according to at least this share of the windows. */
export function takeoversOf({ changes }: Outline, leastShare: number): Uint8Array {
  const cuts = new Uint8Array(changes.length);
  for (let first = 0, end = 0; first < changes.length; first = end + 1) {
    for (end = first; end < changes.length && (changes[end] as number) >= leastShare;) end += 1;
    if (end === first) continue;
    // In the middle of where most windows agree.
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
 * Pieces of at least 0.25 s with one speaker, in order of time.
 * @param cuts frames before which a piece ends: see `takeoversOf`
 * @param longestSeconds approximate length limit: longer stretches are cut into equal parts
 */
export function cutPieces({ counts }: Outline, cuts: Uint8Array, longestSeconds: number): VoicePiece[] {
  const pieces: VoicePiece[] = [];
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

/** The piece of each frame, -1 outside of all. */
export function piecesByFrame(pieces: readonly VoicePiece[], frames: number): Int32Array {
  const at = new Int32Array(frames).fill(-1);
  for (const [index, { firstFrame, endFrame }] of pieces.entries()) at.fill(index, firstFrame, endFrame);
  return at;
}

/** A piece with its number among a window's own voices: 0 to 2. */
export interface PlacedPiece {
  readonly piece: number;
  readonly voice: number;
}

/** The pieces in each window, if one of its voices speaks alone in most of the piece. */
export function piecesInWindows(
  { starts, voices }: HeardWindows,
  pieces: readonly VoicePiece[],
): readonly (readonly PlacedPiece[])[] {
  let oldest = 0;
  return starts.map((start, window) => {
    const first = firstFrameOf(start);
    while (oldest < pieces.length && (pieces[oldest] as VoicePiece).endFrame <= first) oldest += 1;
    const placed: PlacedPiece[] = [];
    for (let piece = oldest; piece < pieces.length; piece += 1) {
      const { firstFrame, endFrame } = pieces[piece] as VoicePiece;
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
