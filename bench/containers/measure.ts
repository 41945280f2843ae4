// What Debian's ffmpeg sees of a video: its codecs, how many pictures and how much sound it has, where flash and click
// are.
import { spawnSync } from 'node:child_process';

export interface Seen {
  /** FFmpeg's names of the picture's codec and samples, and of the sound's codec. */
  readonly picture: string;
  readonly pixels: string;
  readonly sound: string;
  readonly pictures: number;
  readonly soundSeconds: number;
  /** Time of the flash minus time of the click, seconds; NaN where one is missing. */
  readonly flashAfterClick: number;
  /** What decoders complain of. */
  readonly complaints: readonly string[];
}

const rate = 48_000;
const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

function run(program: string, args: readonly string[]): { out: Buffer; complaints: string[] } {
  const ran = spawnSync(program, args, { maxBuffer: 2 ** 30 });
  if (ran.error) throw new Error(`Expected Debian's ffmpeg and ffprobe: ${ran.error.message}`);
  return { out: ran.stdout, complaints: lines(ran.stderr.toString()) };
}

/** The picture whose mean is white, and their number. */
function flashOf(path: string) {
  const filter = 'format=yuv420p,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-';
  const args = ['-nostdin', '-v', 'error', '-copyts', '-i', path, '-map', '0:v:0', '-vf', filter];
  const { out, complaints } = run('ffmpeg', [
    ...args,
    '-fps_mode',
    'passthrough',
    '-enc_time_base',
    '1:90000',
    '-f',
    'null',
    '-',
  ]);
  const printed = lines(out.toString());
  const times = printed.flatMap((line) => /pts_time:(-?[\d.]+)/.exec(line)?.[1] ?? []).map(Number);
  const levels = printed.flatMap((line) => /YAVG=([\d.]+)/.exec(line)?.[1] ?? []).map(Number);
  return { seconds: times[levels.findIndex((level) => level > 150)] ?? NaN, pictures: levels.length, complaints };
}

/** Where the sound changes most from sample to sample. */
function clickOf(path: string) {
  const sound = ['-copyts', '-i', path, '-map', '0:a:0'];
  const { complaints: told } = run('ffmpeg', ['-nostdin', ...sound, '-af', 'ashowinfo', '-f', 'null', '-']);
  const start = Number(/pts_time:(-?[\d.]+)/.exec(told.find((line) => line.includes('pts_time:')) ?? '')?.[1] ?? NaN);
  const pcm = ['-f', 's16le', '-ac', '1', '-ar', String(rate), '-'];
  const { out, complaints } = run('ffmpeg', ['-nostdin', '-v', 'error', ...sound, ...pcm]);
  const samples = new Int16Array(out.buffer, out.byteOffset, out.length >> 1);
  const window = 48;
  let [loudest, at] = [0, 0];
  for (let from = window; from + window <= samples.length; from += window / 2) {
    let change = 0;
    for (let i = from; i < from + window; i += 1)
      change += Math.abs((samples[i] as number) - (samples[i - window / 2] as number));
    if (change > loudest * 1.3) [loudest, at] = [change, from];
  }
  return { seconds: start + at / rate, soundSeconds: samples.length / rate, complaints };
}

export function look(path: string): Seen {
  const args = ['-v', 'error', '-show_entries', 'stream=codec_type,codec_name,pix_fmt', '-of', 'json', path];
  const { streams = [] } = JSON.parse(run('ffprobe', args).out.toString() || '{}') as {
    streams?: { codec_type: string; codec_name?: string; pix_fmt?: string }[];
  };
  const of = (kind: string) => streams.find((one) => one.codec_type === kind);
  const [flash, click] = [flashOf(path), clickOf(path)];
  return {
    picture: of('video')?.codec_name ?? 'none',
    pixels: of('video')?.pix_fmt ?? 'none',
    sound: of('audio')?.codec_name ?? 'none',
    pictures: flash.pictures,
    soundSeconds: click.soundSeconds,
    flashAfterClick: flash.seconds - click.seconds,
    complaints: [...flash.complaints, ...click.complaints],
  };
}
