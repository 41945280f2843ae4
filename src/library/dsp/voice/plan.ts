import { powerToDb } from '../../core/levels.ts';
import { type BalancePoint, balanceFor } from './balance.ts';
import { type BandLevel, compareWithAverage, sharpnessOf, type SpeechProfile } from './speech-profile.ts';
import { dereverberation, type RoomReading } from './room.ts';
import { binHz } from './spectral-stage.ts';

/** What is to be done to one voice, decided by what its whole recording is like. */
export interface VoicePlan {
  /** Level of the speech without pauses, dBFS; null: nothing but silence, nothing is done. */
  readonly activeDb: number | null;
  /** Highest frequency at which the recording has the voice's own sound, Hz. */
  readonly cutoffHz: number;
  /** Are highs to be restored above it? */
  readonly extend: boolean;
  /** null: the balance is good. */
  readonly balance: readonly BalancePoint[] | null;
  /** How much too sharp its hisses are, 0 to 1 (see `sharpnessOf`). */
  readonly sharpness: number;
  /** null: nothing to take away. */
  readonly room: RoomReading | null;
}

/**
 * Highs that lie further than this below those of average speech are not there, dB; whole recordings of good speech
 * stay within 15.
 */
const missingDb = 22;
/** Voices whose highs reach up to here lack nothing worth adding. */
const fullBandHz = 9500;
/** Under this there is no third octave that tells. */
const leastCutoffHz = 2800;

/** Where the voice ends: the top of the highest third octave that is not missing. */
function voiceCutoffHz(bands: readonly BandLevel[], activePower: Float64Array): number {
  let top = bands.length - 1;
  while (top > 0 && (bands[top] as BandLevel).excessDb < -missingDb) top -= 1;
  const { centreHz } = bands[top] as BandLevel;
  if (top === bands.length - 1) return 24_000;
  // Within the third octave above, the edge is where the spectrum falls from its level here.
  const level = (hz: number): number => {
    let sum = 0;
    const bin = Math.round(hz / binHz);
    for (let at = bin - 2; at <= bin + 2; at += 1) sum += activePower[at] ?? 0;
    return powerToDb(sum / 5 + 1e-20);
  };
  const here = level(centreHz);
  let edge = centreHz;
  for (let hz = centreHz; hz < centreHz * 1.5; hz += binHz) if (level(hz) > here - 12) edge = hz;
  return edge;
}

export function planVoice({ activeDb, activePower }: SpeechProfile, room: RoomReading): VoicePlan {
  if (activeDb === null) return { activeDb, cutoffHz: 24_000, extend: false, balance: null, sharpness: 0, room: null };
  const bands = compareWithAverage(activePower);
  const cutoffHz = voiceCutoffHz(bands, activePower);
  let low = 0;
  while (low < bands.length && (bands[low] as BandLevel).excessDb < -missingDb) low += 1;
  const lowHz = (bands[low]?.centreHz ?? 100) * 2 ** (-1 / 6);
  return {
    activeDb,
    cutoffHz,
    extend: cutoffHz < fullBandHz && cutoffHz >= leastCutoffHz,
    balance: balanceFor(activePower, lowHz - 1, cutoffHz + 1),
    sharpness: sharpnessOf(bands),
    room: dereverberation(room) > 0 ? room : null,
  };
}
