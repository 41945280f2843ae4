// Builds the file of a recipe: ffmpeg writes its parts, and bytes are changed behind it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ffmpeg } from '../../fixtures/media/media.ts';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';
import { seeded } from '../../fixtures/random.ts';
import { allMarks, type Mark, markedSound } from '../../fixtures/sounds/marks.ts';
import { formOf, type Part, type Recipe } from './recipe.ts';
import { stateLength } from './stated-lengths.ts';

export interface Built {
  readonly path: string;
  /** The same without what lies in it or is none of it; null: there is nothing like that. */
  readonly plainPath: string | null;
  /** The sound to read, from 0. */
  readonly track: number;
  /** null: what is right is left to the other programs. */
  readonly truth: Truth | null;
}

/** What was put into a file. */
export interface Truth {
  /** On the file's clock; of a file that is cut the first of them. */
  readonly marks: readonly Mark[];
  /** null: the file is cut. */
  readonly seconds: number | null;
  readonly within: number;
  /** What may be behind it: the file does not state where its last packet ends, s. */
  readonly behindSeconds: number;
  /** Of the loudest channel, dBFS; null: it is not known of the whole. */
  readonly level: number | null;
}

/** What is heard in a part, and where. */
export interface Content {
  readonly places: readonly Mark[];
  planeOf(part: Part): Float32Array;
}

const marks: Content = {
  places: allMarks,
  planeOf: ({ rate, level, seconds }) => markedSound(rate, level, seconds),
};

const pictureOf = (seconds: number): string[] => ['-f', 'lavfi', '-i', `testsrc2=s=64x48:r=10:d=${seconds}`];

function planesOf(part: Part, content: Content): Float32Array[] {
  const { channels, second } = part;
  const first = content.planeOf(part);
  const gain = { same: 1, soft: 0.25, opposite: -1, silent: 0 }[second];
  return Array.from({ length: channels }, (_, channel) =>
    channel === 0 ? first : first.map((sample) => gain * sample),
  );
}

/** Extensible WAV of integers whose upper bits alone are valid. */
function paddedWav(planes: readonly Float32Array[], rate: number, [valid, width]: readonly [number, number]): Buffer {
  const [channels, bytes] = [planes.length, width / 8];
  const frames = planes[0]?.length ?? 0;
  const data = Buffer.alloc(frames * channels * bytes);
  const full = 2 ** (valid - 1) - 1;
  for (let at = 0, frame = 0; frame < frames; frame += 1)
    for (const plane of planes) {
      const sample = Math.round(Math.max(-1, Math.min(1, plane[frame] as number)) * full) * 2 ** (width - valid);
      data.writeIntLE(sample, at, bytes);
      at += bytes;
    }
  const head = Buffer.alloc(68);
  head.write('RIFF', 0);
  head.writeUInt32LE(60 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(40, 16);
  head.writeUInt16LE(0xfffe, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * channels * bytes, 28);
  head.writeUInt16LE(channels * bytes, 32);
  head.writeUInt16LE(width, 34);
  head.writeUInt16LE(22, 36);
  head.writeUInt16LE(valid, 38);
  head.writeUInt32LE(2 ** channels - 1, 40);
  head.write('0100000000001000800000aa00389b71', 44, 'hex');
  head.write('data', 60);
  head.writeUInt32LE(data.length, 64);
  return Buffer.concat([head, data]);
}

/** Of the times that a filter of packets sees. */
function ticksPerSecond(container: string, rate: number): number {
  if (/^(mkv|mka|webm|flv|wmv)$/.test(container)) return 1000;
  return /^(ts|m2ts|mpg)$/.test(container) ? 90_000 : rate;
}

function writePart(folder: string, recipe: Recipe, part: Part, name: string, content: Content): Buffer {
  const { lateSeconds, clockSeconds, gap, way, hasPicture, padded, container } = recipe;
  if (padded) return paddedWav(planesOf(part, content), part.rate, padded);
  const form = formOf(recipe);
  const [wav, path] = [join(folder, `${name}.input.wav`), join(folder, `${name}.${container}`)];
  writeFileSync(wav, wavBytes(planesOf(part, content), part.rate, 'f32'));
  const sounds = ['-itsoffset', String(lateSeconds), '-i', wav];
  const maps = hasPicture ? ['-map', '0:v', '-map', '1:a'] : ['-map', '0:a'];
  const codecs = [...(hasPicture && form.picture ? form.picture : []), ...form.sound];
  const inputs = [...(hasPicture ? pictureOf(part.seconds + lateSeconds) : []), ...sounds];
  if (recipe.oddities.includes('two tracks')) {
    inputs.push('-f', 'lavfi', '-i', `sine=f=3000:r=${part.rate}:d=${part.seconds}`);
    maps.splice(-2, 0, '-map', hasPicture ? '2:a' : '1:a');
    codecs.push('-disposition:a:0', '0', '-disposition:a:1', 'default');
  }
  if (gap) {
    const [from, to] = gap.map((seconds) => seconds + lateSeconds);
    codecs.push('-bsf:a', `noise=drop=between(pts/${ticksPerSecond(container, part.rate)}\\,${from}\\,${to})`);
  }
  const clock = clockSeconds > 0 ? ['-output_ts_offset', String(clockSeconds)] : [];
  ffmpeg(...inputs, ...maps, ...codecs, ...clock, ...way, path);
  return readFileSync(path);
}

function trimmed(folder: string, { container, trimSeconds }: Recipe, bytes: Buffer): Buffer {
  const [whole, path] = [join(folder, `whole.${container}`), join(folder, `trimmed.${container}`)];
  writeFileSync(whole, bytes);
  ffmpeg('-ss', String(trimSeconds), '-i', whole, '-map', '0', '-c', 'copy', path);
  return readFileSync(path);
}

function junkOf({ junk, oddities, number }: Recipe): Buffer {
  const random = seeded(number);
  if (junk === 'noise') return Buffer.from(Array.from({ length: 5000 }, () => Math.floor(random() * 256)));
  if (junk === 'zeros') return Buffer.alloc(3000);
  // A tag of version 2 is before, one of version 1 behind.
  if (oddities.includes('junk before'))
    return Buffer.concat([Buffer.from('49443304000000002766', 'hex'), Buffer.alloc(0x27 * 128 + 0x66)]);
  return Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);
}

/** Streams of packets do not say what their encoder put before and behind the sound. */
const isStream = ({ container, codec, way, hasPicture }: Recipe): boolean =>
  // An edit list says it in MP4, and fragments have none.
  way.some((each) => each.includes('empty_moov')) ||
  /^(aac|ac3|mp2|mp3|ts|m2ts|mpg|avi|flv|wmv|mxf)$/.test(container) ||
  (/^mk[av]$/.test(container) && codec === 'aac' && !hasPicture);
const encoderFrames = 2304;
const pictureSeconds = 0.1;

/** Frames of a packet that is written whole: ADPCM is packed in blocks, and Matroska leaves out the end of Vorbis. */
const lastPacket = ({ container, codec }: Recipe): number =>
  codec.startsWith('adpcm') ? 2041 : codec === 'libvorbis' && /^(webm|mk[av])$/.test(container) ? 1024 : 0;

/** @param frames of the whole, with silence before */
const levelOf = (plane: Float32Array, frames: number): number =>
  10 * Math.log10(plane.reduce((sum, sample) => sum + sample * sample, 0) / frames);

/** What is in a file that is as ffmpeg was told to write it. */
function truthOf(recipe: Recipe, content: Content): Truth | null {
  const { parts, lateSeconds, hasPicture, gap, trimSeconds, lie, container, clockSeconds, share } = recipe;
  // Packets of these are left out, or counted, by rules of their own.
  if (trimSeconds > 0 || lie !== null || gap !== null) return null;
  // Nothing in an AVI says when its sound begins.
  if (lateSeconds > 0 && container === 'avi') return null;
  const { rate } = parts[0] as Part;
  let start = 0;
  const marks = parts.flatMap(({ seconds }) => {
    const begin = start + (hasPicture ? lateSeconds : 0);
    // The next part begins where the longest stream of this one ends.
    const end = begin + seconds;
    start = hasPicture ? Math.ceil(end / pictureSeconds) * pictureSeconds : end;
    return content.places.map(({ number, seconds: place }) => ({ number, seconds: begin + place }));
  });
  const isLoose = isStream(recipe) || clockSeconds > 0 || container === '3gp';
  const within =
    0.02 +
    (isLoose ? (parts.length * encoderFrames) / rate : 0) +
    (parts.length - 1) * (hasPicture ? pictureSeconds : 0);
  const last = parts.at(-1) as Part;
  const seconds = (parts.length === 1 && hasPicture ? lateSeconds : 0) + (parts.length === 1 ? last.seconds : start);
  const isWhole = share === 1 && parts.length === 1;
  return {
    marks,
    seconds: share < 1 ? null : seconds,
    within,
    behindSeconds: lastPacket(recipe) / rate,
    level: isWhole ? levelOf(content.planeOf(last), seconds * rate) : null,
  };
}

export function buildFile(folder: string, recipe: Recipe, content = marks): Built {
  const { share, container } = recipe;
  const placed = (name: string, what: Buffer): string => {
    const path = join(folder, `${name}.${container}`);
    writeFileSync(path, what);
    return path;
  };
  let bytes: Buffer = Buffer.concat(
    recipe.parts.map((part, n) => writePart(folder, recipe, part, `part-${n}`, content)),
  );
  if (recipe.trimSeconds > 0) bytes = trimmed(folder, recipe, bytes);
  const cut = (whole: Buffer): Buffer => whole.subarray(0, Math.round(share * whole.length));
  const isPlain = recipe.lie === null && recipe.junk === null;
  const plainPath = isPlain ? null : placed('plain', cut(bytes));
  if (recipe.lie !== null) stateLength(bytes, container, recipe.lie);
  bytes = cut(bytes);
  if (recipe.junk !== null) {
    const junk = junkOf(recipe);
    bytes = Buffer.concat(recipe.oddities.includes('junk before') ? [junk, bytes] : [bytes, junk]);
  }
  const path = placed('file', bytes);
  const track = recipe.oddities.includes('two tracks') ? 1 : 0;
  return { path, plainPath, track, truth: truthOf(recipe, content) };
}
