import { findDominance, type SpeakerTrack } from './dominance.ts';
import { addCurves, type GainCurve } from './gain-curve.ts';
import { levelSpeech } from './leveling.ts';

/** How one track of a conversation is to be levelled. */
export interface TrackGains {
  /** 1 where the track's own speaker speaks. */
  readonly own: Uint8Array;
  readonly curve: GainCurve;
  /** Loudness of its own speech, LUFS; null without any. */
  readonly speechLufs: number | null;
  /**
   * Own voice over the others' on this track, dB: as it is, as levelling would have made it, and now; null where the
   * track is levelled.
   */
  readonly left: { readonly beforeDb: number; readonly levelledDb: number; readonly afterDb: number } | null;
}

/**
 * Own voice over the others' with some gains, dB. What the others' voices do not explain is the own one; theirs is
 * looked for where the own one does not speak alone.
 */
function ownOverOthers(
  energy: Float32Array,
  bleed: Float32Array,
  isAlone: (hop: number) => boolean,
  { gainsDb }: GainCurve,
): number {
  let [own, others] = [1e-12, 1e-12];
  for (let hop = 0; hop < energy.length; hop += 1) {
    const [heard, told] = [energy[hop] as number, bleed[hop] as number];
    const gain = 10 ** ((gainsDb[hop] as number) / 10);
    own += gain * Math.max(0, heard - told);
    if (!isAlone(hop)) others += gain * Math.min(heard, told);
  }
  return 10 * Math.log10(own / others);
}

/** What is done to a track: its levelling, what only lowers it while others speak, or nothing; see `levelTogether`. */
export function notWorse(
  energy: Float32Array,
  bleed: Float32Array,
  isAlone: (hop: number) => boolean,
  { levelled, gate }: { readonly levelled: GainCurve; readonly gate: GainCurve },
): Pick<TrackGains, 'curve' | 'left'> {
  const over = (gains: GainCurve): number => ownOverOthers(energy, bleed, isAlone, gains);
  const flat: GainCurve = { ...gate, gainsDb: new Float32Array(gate.gainsDb.length) };
  const [beforeDb, levelledDb] = [over(flat), over(levelled)];
  if (levelledDb >= beforeDb) return { curve: levelled, left: null };
  const curve = over(gate) > beforeDb ? gate : flat;
  return { curve, left: { beforeDb, levelledDb, afterDb: over(curve) } };
}

/**
 * Levels tracks of one conversation, each by its own speaker, and lowers each while only others speak. Where that would
 * bring the others' voices nearer to the own one, a track is only lowered, and where even that would, it is left alone.
 */
export function levelTogether(tracks: readonly SpeakerTrack[]): {
  readonly tracks: readonly TrackGains[];
  /** false: the tracks are too alike to tell bleed from own speech. */
  readonly isBleedKnown: boolean;
} {
  const { tracks: found, isBleedKnown } = findDominance(tracks);
  return {
    isBleedKnown,
    tracks: tracks.map(({ energy, activity }, index): TrackGains => {
      const { own, curve: gate, bleed } = found[index] as (typeof found)[number];
      const alone = { ...activity, speech: own, music: new Uint8Array(own.length) };
      const { curve, speechLufs } = levelSpeech(energy, alone, { ownTrack: true, bleed });
      // What is not told from bleed would be raised with it.
      if (!isBleedKnown) return { own, curve: gate, speechLufs, left: null };
      const levelled = addCurves(curve, gate);
      if (bleed === null || speechLufs === null) return { own, curve: levelled, speechLufs, left: null };
      const isAlone = (hop: number): boolean =>
        own[hop] === 1 && found.every((other) => other.own === own || other.own[hop] !== 1);
      return { own, speechLufs, ...notWorse(energy, bleed, isAlone, { levelled, gate }) };
    }),
  };
}
