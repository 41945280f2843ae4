// Videos of many containers and codecs, made by Debian's ffmpeg: a picture that moves, with one white flash, and speech
// with one click at the same time.
import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Where flash and click are in the files, seconds. */
export const clapSeconds = 6;
export const lengthSeconds = 11;

const pictures = {
  'H.264': ['-c:v', 'libx264', '-g', '50'],
  'H.264 10 bits': ['-c:v', 'libx264', '-g', '50', '-pix_fmt', 'yuv420p10le'],
  'H.264 4:2:2': ['-c:v', 'libx264', '-g', '50', '-pix_fmt', 'yuv422p10le'],
  'H.264 interlaced': ['-c:v', 'libx264', '-g', '50', '-flags', '+ilme+ildct', '-x264opts', 'tff=1'],
  HEVC: ['-c:v', 'libx265', '-g', '50', '-x265-params', 'log-level=error'],
  'HEVC 10 bits': ['-c:v', 'libx265', '-g', '50', '-pix_fmt', 'yuv420p10le', '-x265-params', 'log-level=error'],
  AV1: ['-c:v', 'libsvtav1', '-g', '50'],
  VP8: ['-c:v', 'libvpx', '-g', '50', '-deadline', 'realtime', '-b:v', '1M'],
  VP9: ['-c:v', 'libvpx-vp9', '-g', '50', '-deadline', 'realtime', '-b:v', '1M'],
  'MPEG-2': ['-c:v', 'mpeg2video', '-b:v', '3M'],
  'MPEG-2 interlaced': ['-c:v', 'mpeg2video', '-b:v', '3M', '-flags', '+ilme+ildct', '-top', '1'],
  'MPEG-4': ['-c:v', 'mpeg4', '-b:v', '2M'],
  'Motion JPEG': ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '3'],
  ProRes: ['-c:v', 'prores_ks'],
  DNxHR: ['-c:v', 'dnxhd', '-profile:v', 'dnxhr_sq', '-pix_fmt', 'yuv422p'],
  FFV1: ['-c:v', 'ffv1'],
  raw: ['-c:v', 'rawvideo', '-pix_fmt', 'yuv420p'],
  Theora: ['-c:v', 'libtheora', '-q:v', '7'],
  WMV: ['-c:v', 'wmv2', '-b:v', '2M'],
  'Sorenson H.263': ['-c:v', 'flv', '-b:v', '2M'],
  'H.263': ['-c:v', 'h263', '-s', '352x288', '-b:v', '2M'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const sounds = {
  AAC: ['-c:a', 'aac'],
  MP3: ['-c:a', 'libmp3lame', '-b:a', '128k'],
  Opus: ['-c:a', 'libopus'],
  Vorbis: ['-c:a', 'libvorbis'],
  'AC-3': ['-c:a', 'ac3'],
  'E-AC-3': ['-c:a', 'eac3'],
  'MPEG layer 2': ['-c:a', 'mp2', '-b:a', '192k'],
  'PCM 16': ['-c:a', 'pcm_s16le'],
  'PCM 24': ['-c:a', 'pcm_s24le'],
  FLAC: ['-c:a', 'flac'],
  ALAC: ['-c:a', 'alac'],
  WMA: ['-c:a', 'wmav2'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export interface Case {
  /** Extension of the file. */
  readonly container: string;
  readonly picture: keyof typeof pictures;
  readonly sound: keyof typeof sounds;
}

const rows = (container: string, ...kinds: readonly [Case['picture'], Case['sound']][]): Case[] =>
  kinds.map(([picture, sound]) => ({ container, picture, sound }));

export const cases: readonly Case[] = [
  ...rows('mp4', ['H.264', 'AAC'], ['H.264', 'MP3'], ['H.264', 'AC-3'], ['H.264', 'Opus'], ['H.264', 'ALAC']),
  ...rows('mp4', ['H.264 10 bits', 'AAC'], ['H.264 interlaced', 'AAC'], ['HEVC', 'AAC'], ['HEVC 10 bits', 'E-AC-3']),
  ...rows('mp4', ['AV1', 'Opus'], ['VP9', 'AAC'], ['MPEG-4', 'AAC'], ['MPEG-2', 'MPEG layer 2']),
  ...rows('mov', ['H.264', 'PCM 16'], ['H.264 4:2:2', 'PCM 24'], ['ProRes', 'PCM 24'], ['DNxHR', 'PCM 16']),
  ...rows('mov', ['Motion JPEG', 'PCM 16'], ['HEVC', 'ALAC']),
  ...rows('mkv', ['H.264', 'AAC'], ['H.264', 'FLAC'], ['HEVC', 'Opus'], ['AV1', 'FLAC'], ['FFV1', 'PCM 16']),
  ...rows('mkv', ['MPEG-2', 'AC-3'], ['Theora', 'Vorbis'], ['MPEG-4', 'MP3'], ['raw', 'PCM 16']),
  ...rows('webm', ['VP8', 'Vorbis'], ['VP9', 'Opus'], ['AV1', 'Opus']),
  ...rows(
    'avi',
    ['MPEG-4', 'MP3'],
    ['MPEG-4', 'AC-3'],
    ['Motion JPEG', 'PCM 16'],
    ['H.264', 'MP3'],
    ['FFV1', 'PCM 16'],
  ),
  ...rows('ts', ['H.264', 'AAC'], ['H.264', 'AC-3'], ['H.264 interlaced', 'MPEG layer 2'], ['HEVC', 'AAC']),
  ...rows('ts', ['MPEG-2', 'MPEG layer 2'], ['H.264 10 bits', 'E-AC-3']),
  ...rows('mpg', ['MPEG-2', 'MPEG layer 2'], ['MPEG-2 interlaced', 'MPEG layer 2']),
  ...rows('vob', ['MPEG-2', 'AC-3']),
  ...rows('flv', ['H.264', 'AAC'], ['Sorenson H.263', 'MP3']),
  ...rows('wmv', ['WMV', 'WMA']),
  ...rows('3gp', ['H.264', 'AAC'], ['H.263', 'AAC']),
  ...rows('ogv', ['Theora', 'Vorbis']),
  ...rows('mxf', ['MPEG-2', 'PCM 16']),
];

const speech = fileURLToPath(new URL('../../test/recordings/jfk.flac', import.meta.url));
const flash = `between(t,${clapSeconds - 0.01},${clapSeconds + 0.03})`;
const picture =
  `testsrc2=s=320x240:r=25:d=${lengthSeconds},drawbox=color=black@0.6:t=fill:enable='not(${flash})',` +
  `drawbox=color=white:t=fill:enable='${flash}'`;
const click = `aevalsrc='if(between(t,${clapSeconds},${clapSeconds + 0.005}),if(lt(mod(t*1000,1),0.5),0.85,-0.85),0)':s=48000:d=${lengthSeconds}`;

/** The file of a case, made when it is not there; null: this ffmpeg cannot write it. */
export function fileOf(folder: string, { container, picture: kind, sound }: Case): string | null {
  const path = `${folder}/${`${kind} ${sound}`.replaceAll(/\W+/g, '-')}.${container}`;
  if (existsSync(path)) return path;
  const inputs = ['-f', 'lavfi', '-i', picture, '-i', speech, '-f', 'lavfi', '-i', click];
  const mix = ['-filter_complex', '[1:a]aresample=48000,volume=0.2[v];[v][2:a]amix=inputs=2:normalize=0[a]'];
  const codecs = [...pictures[kind], ...sounds[sound], '-ac', '2', '-ar', '48000'];
  const args = ['-nostdin', '-v', 'error', '-y', ...inputs, ...mix, '-map', '0:v', '-map', '[a]', ...codecs];
  const made = spawnSync('ffmpeg', [...args, '-t', String(lengthSeconds), path]);
  return made.status === 0 ? path : null;
}

/** Sound of the same click alone, to swap in. */
export function clickFile(folder: string): string {
  const path = `${folder}/click.wav`;
  const made = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-f', 'lavfi', '-i', click, path]);
  if (made.status !== 0) throw new Error(`ffmpeg could not make ${path}: ${made.stderr.toString()}`);
  return path;
}
