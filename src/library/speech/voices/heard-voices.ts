// The sound of each speaker of a recording, as one direction.
import type { TimeRange } from '../../core/time-range.ts';
import { type ListeningOptions, listenTo } from '../speakers/listening.ts';
import { embeddingLength, type SpeakerNetworks } from '../speakers/networks.ts';
import { meanDirection } from './directions.ts';
import type { SpeakerTurn } from '../speakers/speaker-turn.ts';
import { type SpeechSound, speechRate } from '../speech-sound.ts';

/** Length of the pieces, seconds; a single word does not tell who speaks. */
const pieceSeconds = 3;
const leastPieceSeconds = 1.2;
/** Shorter stretches, down to a word, make a piece together while they lie within so many seconds. */
const leastStretchSeconds = 0.25;
const togetherSeconds = 15;
/** More speech of one person makes the direction no better. */
const mostSeconds = 60;

/** Where a speaker is heard and no one else, in order. */
export function stretchesAlone(turns: readonly SpeakerTurn[], speaker: number): TimeRange[] {
  const others = turns.filter((turn) => turn.speaker !== speaker);
  return turns
    .filter((turn) => turn.speaker === speaker)
    .flatMap((turn) => {
      let rest: TimeRange[] = [{ startSeconds: turn.startSeconds, endSeconds: turn.endSeconds }];
      for (const { startSeconds, endSeconds } of others) {
        if (startSeconds >= turn.endSeconds || endSeconds <= turn.startSeconds) continue;
        rest = rest.flatMap((part) => [
          { startSeconds: part.startSeconds, endSeconds: Math.min(part.endSeconds, startSeconds) },
          { startSeconds: Math.max(part.startSeconds, endSeconds), endSeconds: part.endSeconds },
        ]);
      }
      return rest.filter((part) => part.endSeconds > part.startSeconds);
    });
}

const lengthOf = ({ startSeconds, endSeconds }: TimeRange): number => endSeconds - startSeconds;

/** One voice in one stretch, or in several short ones. */
export type Piece = readonly TimeRange[];

const secondsOf = (piece: Piece): number => piece.reduce((sum, stretch) => sum + lengthOf(stretch), 0);

/** Pieces of about three seconds; of more than a minute some, evenly spread. */
export function voicePieces(stretches: readonly TimeRange[]): Piece[] {
  const pieces: Piece[] = [];
  let short: TimeRange[] = [];
  const close = (): void => {
    if (secondsOf(short) >= leastPieceSeconds) pieces.push(short);
    short = [];
  };
  for (const stretch of stretches) {
    const parts = Math.max(1, Math.round(lengthOf(stretch) / pieceSeconds));
    const length = lengthOf(stretch) / parts;
    if (length >= leastPieceSeconds) {
      for (let part = 0; part < parts; part += 1) {
        const startSeconds = stretch.startSeconds + part * length;
        pieces.push([{ startSeconds, endSeconds: startSeconds + length }]);
      }
      continue;
    }
    if (length < leastStretchSeconds) continue;
    if (stretch.endSeconds - (short[0] ?? stretch).startSeconds > togetherSeconds) close();
    short.push(stretch);
    if (secondsOf(short) >= pieceSeconds) close();
  }
  close();
  const total = pieces.reduce((sum, piece) => sum + secondsOf(piece), 0);
  if (total <= mostSeconds) return pieces;
  const wanted = Math.max(1, Math.floor((pieces.length * mostSeconds) / total));
  return Array.from({ length: wanted }, (_, at) => pieces[Math.floor(((at + 0.5) * pieces.length) / wanted)] as Piece);
}

/** Directions of pieces, and the seconds of each. */
export interface Directions {
  /** Concatenated; zeros where nothing can be told. */
  readonly values: Float32Array;
  readonly seconds: readonly number[];
}

export async function directionsOf(
  sound: SpeechSound,
  pieces: readonly Piece[],
  networks: SpeakerNetworks,
  options: ListeningOptions,
): Promise<Directions> {
  const sample = (seconds: number): number => Math.round(seconds * speechRate);
  const passages = pieces.map((piece) =>
    piece.map(({ startSeconds, endSeconds }) => [sample(startSeconds), sample(endSeconds)] as const),
  );
  return { values: await listenTo(sound, networks, passages, options), seconds: pieces.map(secondsOf) };
}

/** A speaker by sound. */
export interface HeardVoice {
  /** As in the turns. */
  readonly speaker: number;
  /** Of what the direction was made. */
  readonly seconds: number;
  readonly pieces: readonly Piece[];
  readonly direction: Float32Array;
}

/** The speakers of turns, without those of whom there is no piece that is long enough. */
export async function heardVoices(
  sound: SpeechSound,
  turns: readonly SpeakerTurn[],
  networks: SpeakerNetworks,
  options: ListeningOptions,
): Promise<HeardVoice[]> {
  const speakers = [...new Set(turns.map(({ speaker }) => speaker))];
  const pieces = speakers.map((speaker) => voicePieces(stretchesAlone(turns, speaker)));
  const { values, seconds } = await directionsOf(sound, pieces.flat(), networks, options);
  const voices: HeardVoice[] = [];
  let first = 0;
  for (const [index, speaker] of speakers.entries()) {
    const own = pieces[index] as Piece[];
    const weights = seconds.slice(first, first + own.length);
    const direction = meanDirection(
      values.subarray(first * embeddingLength, (first + own.length) * embeddingLength),
      weights,
    );
    first += own.length;
    if (direction === null) continue;
    voices.push({ speaker, pieces: own, direction, seconds: weights.reduce((sum, length) => sum + length, 0) });
  }
  return voices;
}
