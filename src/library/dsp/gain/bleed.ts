// How loud each voice is in the others' microphones. The differences between tracks tell who speaks, however loud the
// voices are and however far the microphones are turned up: they change when another one speaks, and with nothing else.

import { loudnessOf } from '../voicing/speech-levels.ts';

/** Levels of one moment on all tracks, dB. */
type Moment = Float32Array;

/** Moments that are looked at: ten hours have more than a million. */
const mostMoments = 20_000;
/** Of all moments, those in which a track is most over the others show what its own voice looks like. */
const purestShare = 0.05;
const rounds = 6;
/** Voices that change the difference of their tracks by less cannot be told apart, dB. */
const leastApartDb = 8;
/** By less, they are one voice: the levels of one vary as much. */
const oneVoiceDb = 5;
/** A track that is so much softer than the other has only the other's voice; else both are one person's, dB. */
const leastBelowDb = 6;
/** A voice with fewer moments of its own was not heard: 0.4 s of one minute. */
const leastShare = 0.007;

/** Level of each voice on each track, over its level on its own track, dB: [voice][track]; null: it was not heard. */
export type BleedLevels = readonly (readonly number[] | null)[];

interface Voice {
  readonly track: number;
  readonly centre: Moment;
  /** Share of the moments. */
  readonly share: number;
}

const median = (values: Float32Array): number => values.sort()[Math.floor(values.length / 2)] ?? 0;

/** Of each track, over moments: its median. */
const centreOf = (moments: readonly Moment[]): Moment =>
  Float32Array.from(moments[0] ?? [], (_, track) =>
    median(Float32Array.from(moments, (moment) => moment[track] as number)),
  );

/** Without the loudness of the moment itself. */
function relative(moment: Moment): Moment {
  const mean = moment.reduce((sum, level) => sum + level, 0) / moment.length;
  return moment.map((level) => level - mean);
}

const distance = (a: Moment, b: Moment): number =>
  a.reduce((sum, level, track) => sum + Math.abs(level - (b[track] as number)), 0);

/** By how much a moment favours a track. */
const favour = (moment: Moment, track: number): number =>
  (moment[track] as number) -
  moment.reduce((most, level, other) => (other === track ? most : Math.max(most, level)), Number.NEGATIVE_INFINITY);

function momentsOf(energies: readonly Float32Array[], active: Uint8Array): Moment[] {
  const count = active.reduce((sum, each) => sum + each, 0);
  const stride = Math.max(1, Math.ceil(count / mostMoments));
  const moments: Moment[] = [];
  let seen = 0;
  for (let hop = 0; hop < active.length; hop += 1) {
    if (active[hop] !== 1) continue;
    seen += 1;
    if (seen % stride === 0)
      moments.push(relative(Float32Array.from(energies, (track) => loudnessOf(Math.max(1e-12, track[hop] ?? 0)))));
  }
  return moments;
}

/** What each track's own voice looks like, from the moments that favour the track most. */
function purest(tracks: readonly number[], moments: readonly Moment[]): Voice[] {
  return tracks.map((track) => {
    const favours = Float32Array.from(moments, (moment) => favour(moment, track));
    const order = Uint32Array.from(moments.keys()).sort((a, b) => (favours[b] as number) - (favours[a] as number));
    const most = Array.from(order.subarray(0, Math.ceil(purestShare * order.length)), (at) => moments[at] as Moment);
    return { track, centre: centreOf(most), share: 0 };
  });
}

/** All moments go to the voice whose moments they are most like (k-medians). */
function voicesOf(looks: readonly Voice[], moments: readonly Moment[]): Voice[] {
  let voices = [...looks];
  for (let round = 0; round < rounds; round += 1) {
    const own: Moment[][] = voices.map(() => []);
    for (const moment of moments) {
      const away = voices.map(({ centre }) => distance(moment, centre));
      own[away.indexOf(Math.min(...away))]?.push(moment);
    }
    voices = voices.map((voice, index) => {
      const each = own[index] as Moment[];
      return each.length === 0
        ? { ...voice, share: 0 }
        : { ...voice, centre: centreOf(each), share: each.length / moments.length };
    });
  }
  return voices;
}

/** A voice to leave out: it was not heard, or is another one's. 'unclear' where that cannot be told. */
function superfluous(voices: readonly Voice[]): Voice | 'unclear' | null {
  const level = ({ centre }: Voice, { track }: Voice): number => centre[track] as number;
  for (const [index, one] of voices.entries())
    for (const other of voices.slice(index + 1)) {
      const apart = level(one, one) - level(one, other) + level(other, other) - level(other, one);
      if (apart >= leastApartDb) continue;
      const below = (level(one, one) - level(one, other) + level(other, one) - level(other, other)) / 2;
      if (apart >= oneVoiceDb || Math.abs(below) < leastBelowDb) return 'unclear';
      return below > 0 ? other : one;
    }
  return voices.find(({ share }) => share < leastShare) ?? null;
}

/**
 * Finds how loud each track's speaker is on the others' tracks, from who is loudest where: the moments that favour a
 * track most are its speaker's.
 * @param energies of each track, by hop
 * @param active 1 where anything is spoken, by hop
 * @param spoken the tracks on which anything is
 * @returns null where the tracks are too alike to tell, or too short
 */
export function findBleed(
  energies: readonly Float32Array[],
  active: Uint8Array,
  spoken: readonly number[],
): BleedLevels | null {
  const moments = momentsOf(energies, active);
  if (moments.length < 2 / purestShare) return null;
  const looks = purest(spoken, moments);
  let voices = voicesOf(looks, moments);
  for (let without = superfluous(voices); without !== null; without = superfluous(voices)) {
    if (without === 'unclear' || voices.length === 1) return null;
    looks.splice(
      looks.findIndex(({ track }) => track === without.track),
      1,
    );
    voices = voicesOf(looks, moments);
  }
  return energies.map((_, track) => {
    const centre = voices.find((voice) => voice.track === track)?.centre;
    return centre ? Array.from(centre, (level) => level - (centre[track] as number)) : null;
  });
}
