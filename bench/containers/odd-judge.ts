// What is wrong with the result of a tool on an odd file, by ffmpeg's reading of it.
import { decodeByFfmpeg, ffprobe } from '../../test/fixtures/media/media.ts';
import { monoTools, type Ran } from './odd-tools.ts';
import type { OddFile, OddKind, Place } from './oddities.ts';
import { filmOf, findWord, lowSound, type Spoken } from './words.ts';

/** From its place, s: in every cell. */
const within = 0.02;
/** Of a transcript's word from its place, s: another is meant. */
const nearSeconds = 0.25;
/** Of an analysis, s. */
const lengthWithin = 0.15;
/** What is said of damage, form and levels: each must be true. */
const claims = new Set(
  (
    'truncated damaged_sound read_error clock_jump broken_samples sound_missing over_full_scale opposite_channels ' +
    'damaged_picture form_changed'
  ).split(' '),
);
/** Of each kind, what must be said by any tool: one of these. */
const due: Readonly<Partial<Record<OddKind, readonly string[]>>> = {
  gap: ['sound_missing'],
  hole: ['sound_missing', 'damaged_sound'],
  chain: ['form_changed'],
};

/** Is sound above full scale in a file, or clipped? null: it is close to it, or floats hold it as the input does. */
function isOver(path: string): boolean | null {
  const codec = ffprobe(path).streams.find((stream) => stream.codec_type === 'audio')?.codec_name ?? '';
  if (codec.startsWith('pcm_f')) return null;
  const holdsIntegers = /^(pcm_[su]|flac|alac|tta)/.test(codec);
  let [peak, run, longest] = [0, 0, 0];
  for (const plane of decodeByFfmpeg(path).planes)
    for (const sample of plane) {
      const size = Math.abs(sample);
      peak = Math.max(peak, size);
      run = size >= 0.9999 ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
  if (holdsIntegers) return longest >= 3 ? true : peak < 0.999 ? false : null;
  return peak > 1.02 ? true : peak < 1 ? false : null;
}

function warningFault(tool: string, file: OddFile, ran: Ran): string[] {
  // Where nothing was removed, the sound is the input's own.
  const isWritten = ran.path !== null && !ran.warnings.includes('no_pauses');
  const over = isWritten && file.kind === 'over full scale' ? isOver(ran.path) : null;
  const must = [
    ...(due[file.kind] ?? []),
    ...(file.kind === 'opposite channels' && monoTools.has(tool) ? ['opposite_channels'] : []),
    ...(over === true ? ['over_full_scale'] : []),
  ];
  const may = [
    ...must,
    ...(file.kind === 'opposite channels' ? ['opposite_channels'] : []),
    ...(file.kind === 'over full scale' && over === null ? ['over_full_scale'] : []),
  ];
  const isSaid = must.length === 0 || must.some((code) => ran.warnings.includes(code));
  const untrue = ran.warnings.filter((code) => claims.has(code) && !may.includes(code));
  return [
    ...(isSaid ? [] : [`unsaid: ${must.join(' or ')}`]),
    ...(untrue.length === 0 ? [] : [`false: ${untrue.join(', ')}`]),
  ];
}

function placeFault(offs: readonly (number | null)[], mayMiss: number): string[] {
  const found = offs.filter((off) => off !== null);
  const missing = offs.length - found.length;
  const worst = found.reduce((most, off) => (Math.abs(off) > Math.abs(most) ? off : most), 0);
  return [
    ...(missing > mayMiss ? [`${missing} of ${offs.length} words missing`] : []),
    ...(Math.abs(worst) > within ? [`words ${(1000 * worst).toFixed(0)} ms off`] : []),
  ];
}

function soundFault(
  path: string,
  { places, pictures, pictureStart }: Ran,
  file: OddFile,
  { samples }: Spoken,
): string[] {
  const film = filmOf(path);
  const sound = lowSound(path, film !== null);
  // Where there is a picture in both, words belong to it.
  const moved = film !== null && file.hasPicture ? film.pictureStart - pictureStart : 0;
  const offs = places.map(({ number, seconds }: Place) => {
    const found = findWord(sound, samples[number] as Float32Array, seconds + moved);
    return found === null ? null : found - seconds - moved;
  });
  const seen = film?.pictures ?? 0;
  return [
    ...placeFault(offs, file.mayMiss),
    ...(pictures !== null && Math.abs(seen - pictures) > 1 ? [`${seen} pictures instead of ${pictures}`] : []),
  ];
}

/** By the tool's own record. */
function recordFault(starts: readonly number[], { places }: Ran, { mayMiss }: OddFile): string[] {
  const offs = places.map(({ seconds }) => {
    const nearest = starts.reduce(
      (best, start) => (Math.abs(start - seconds) < Math.abs(best - seconds) ? start : best),
      -9,
    );
    return Math.abs(nearest - seconds) > nearSeconds ? null : nearest - seconds;
  });
  return placeFault(offs, mayMiss);
}

/** What is wrong, in words; null: nothing. */
export function oddFault(tool: string, ran: Ran, file: OddFile, spoken: Spoken): string | null {
  const { path, starts, seconds, fault } = ran;
  const faults = [
    ...warningFault(tool, file, ran),
    ...(path === null ? [] : soundFault(path, ran, file, spoken)),
    ...(starts === null ? [] : recordFault(starts, ran, file)),
    ...(fault === null ? [] : [fault]),
    ...(seconds !== null && Math.abs(seconds - file.seconds) > lengthWithin
      ? [`${seconds.toFixed(2)} instead of ${file.seconds.toFixed(2)} s`]
      : []),
  ];
  return faults.length === 0 ? null : faults.join('; ');
}
