import { powerToDb } from '../../core/levels.ts';
import { type BalancePoint, balanceFor } from './balance.ts';
import { type BandLevel, compareWithAverage, sharpnessOf, type SpeechProfile } from './speech-profile.ts';
import { dereverberation, type RoomReading } from './room.ts';
import { binHz } from './spectral-stage.ts';

/** The processing of one voice, decided by its whole recording. */
export interface VoicePlan {
  /** Level of the speech without pauses, dBFS; null: silence, no processing. */
  readonly activeDb: number | null;
  /** Highest frequency with real sound of the voice, Hz. */
  readonly cutoffHz: number;
  /** Restore highs above it? */
  readonly extend: boolean;
  /** null: no correction needed. */
  readonly balance: readonly BalancePoint[] | null;
  /** How sharp its sibilants are, 0 to 1 (see `sharpnessOf`). */
  readonly sharpness: number;
  /** null: no reverberation to remove. */
  readonly room: RoomReading | null;
}

/** Highs further below those of average speech are missing, dB; good recordings stay within 15. */
const missingDb = 22;
/** Voices with highs up to here need no extension. */
const fullBandHz = 9500;
/**
 * Reverberation is only removed where it is long, s, and heard well above the noise, dB: elsewhere the reading is
 * unsure, and noise suppression does most of it.
 */
const leastT60Seconds = 0.57;
const leastRoomSnrDb = 18;
/**
 * A room of this T60 colours what is measured of the voice, s: there, no tone is corrected, and no highs are made of
 * what it has blurred, unless a telephone took them.
 */
const colouringT60Seconds = 0.45;
const telephoneHz = 4500;
/** Smaller corrections of the tone do not make a voice clearer, dB. */
const leastBalanceDb = 6;
/** Below this no third octave is usable. */
const leastCutoffHz = 2800;

/** Upper limit of the voice: the top of the highest third octave that is not missing. */
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

/**
 * Chosen by blind opinion scores (bench/quality/opinion.ts).
 * @param snrDb of the recording; null: no noise
 */
export function planVoice(
  { activeDb, activePower }: SpeechProfile,
  room: RoomReading,
  snrDb: number | null = null,
): VoicePlan {
  if (activeDb === null) return { activeDb, cutoffHz: 24_000, extend: false, balance: null, sharpness: 0, room: null };
  const bands = compareWithAverage(activePower);
  const cutoffHz = voiceCutoffHz(bands, activePower);
  let low = 0;
  while (low < bands.length && (bands[low] as BandLevel).excessDb < -missingDb) low += 1;
  const lowHz = (bands[low]?.centreHz ?? 100) * 2 ** (-1 / 6);
  const points = balanceFor(activePower, lowHz - 1, cutoffHz + 1);
  const isRoom = dereverberation(room) > 0;
  const isColoured = isRoom && room.t60Seconds >= colouringT60Seconds;
  const isReverberant = isRoom && room.t60Seconds >= leastT60Seconds && (snrDb ?? leastRoomSnrDb) >= leastRoomSnrDb;
  return {
    activeDb,
    cutoffHz,
    extend: cutoffHz < (isColoured ? telephoneHz : fullBandHz) && cutoffHz >= leastCutoffHz,
    balance: !isColoured && points?.some(({ gainDb }) => Math.abs(gainDb) >= leastBalanceDb) ? points : null,
    sharpness: sharpnessOf(bands),
    room: isReverberant ? room : null,
  };
}
