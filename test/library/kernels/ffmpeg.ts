// Debian's ffmpeg as an independent meter.
import { spawnSync } from 'node:child_process';

const found = spawnSync('ffmpeg', ['-version'], { encoding: 'utf8' });
/** Why ffmpeg cannot be asked, or undefined when it can. */
export const noFfmpeg: string | undefined = found.status === 0 ? undefined : 'ffmpeg is not installed';

export interface FfmpegReading {
  readonly integratedLufs: number;
  readonly loudnessRangeLu: number;
  readonly maxMomentaryLufs: number;
  /** Each 100 ms; -120 until 3 s have come. */
  readonly shortTermLufs: readonly number[];
  /** The highest of all channels. */
  readonly truePeak: number;
  /** Of each channel. */
  readonly truePeaks: readonly number[];
}

const options = { maxBuffer: 1 << 29 };

/** ebur128 with true peak, at the resolution of its metadata (0.001). */
export function readByFfmpeg(planes: readonly Float32Array[], sampleRate: number): FfmpegReading {
  const together = new Float32Array(planes.length * planes[0]!.length);
  for (const [channel, plane] of planes.entries())
    plane.forEach((sample, frame) => (together[frame * planes.length + channel] = sample));
  const filter = 'ebur128=peak=true:metadata=1,ametadata=mode=print:file=-';
  const args = [
    '-hide_banner',
    '-nostats',
    '-f',
    'f32le',
    '-ar',
    String(sampleRate),
    '-ac',
    String(planes.length),
    '-i',
    'pipe:0',
    '-af',
    filter,
    '-f',
    'null',
    '-',
  ];
  const run = spawnSync('ffmpeg', args, { ...options, input: Buffer.from(together.buffer) });
  const text = run.stdout.toString();
  const all = (key: string): number[] =>
    [...text.matchAll(new RegExp(`lavfi\\.r128\\.${key}=(\\S+)`, 'g'))].map((m) => Number(m[1]));
  const [integrated, range, momentary, shortTermLufs, peaks] = [
    all('I'),
    all('LRA'),
    all('M'),
    all('S'),
    all('true_peaks_ch\\d+'),
  ];
  if (run.status !== 0 || integrated.length === 0) throw new Error(`ffmpeg failed: ${run.stderr.toString()}`);
  return {
    integratedLufs: integrated.at(-1)!,
    loudnessRangeLu: range.at(-1)!,
    maxMomentaryLufs: Math.max(...momentary),
    shortTermLufs,
    truePeak: Math.max(...peaks.slice(-planes.length)),
    truePeaks: peaks.slice(-planes.length),
  };
}

/** A file's PCM at its own rate. */
export function decodeByFfmpeg(path: string): { planes: Float32Array[]; sampleRate: number } {
  const probe = spawnSync(
    'ffprobe',
    ['-v', 'error', '-select_streams', 'a:0', '-show_entries', 'stream=sample_rate,channels', '-of', 'csv=p=0', path],
    { encoding: 'utf8' },
  );
  const [sampleRate = 0, channels = 0] = probe.stdout.trim().split(',').map(Number);
  const run = spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'f32le', '-'], options);
  if (run.status !== 0 || !sampleRate || !channels) throw new Error(`cannot decode ${path}`);
  const together = new Float32Array(
    run.stdout.buffer.slice(run.stdout.byteOffset, run.stdout.byteOffset + run.stdout.byteLength),
  );
  const planes = Array.from({ length: channels }, (_, c) =>
    Float32Array.from({ length: together.length / channels }, (_unused, i) => together[i * channels + c]!),
  );
  return { planes, sampleRate };
}
