// Another sample rate beside swresample, soxr and sox: what is left of tones that both rates hold, what images and
// aliases are left of tones that only one holds, and CPU for ten minutes of stereo (of peers the command, less the same
// command without a change). Needs Debian's ffmpeg and sox. Usage: node bench/kernels/rates.ts [seconds, default 60]
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRateConverter } from '../../src/library/kernels/rate-converter.ts';
import { noise } from '../../test/library/kernels/signals.ts';

const seconds = Number(process.argv[2] ?? 60);
const folder = mkdtempSync(join(tmpdir(), 'rates-'));
const path = (name: string): string => join(folder, name);

type Peer = (from: number, to: number, channels: number) => readonly string[];
const ffmpeg =
  (filter: (to: number) => string): Peer =>
  (from, to, channels) =>
    // Threads of its own are not what is compared.
    [
      `ffmpeg -v error -nostdin -y -f f32le -ar ${from} -ac ${channels} -i ${path('in.f32')}`,
      `-af ${filter(to)} -f f32le -threads 1 -filter_threads 1 ${path('out.f32')}`,
    ]
      .join(' ')
      .split(' ');
const peers: Readonly<Record<string, Peer>> = {
  'swresample, as it comes': ffmpeg((to) => `aresample=${to}`),
  'swresample, 64 taps (ours before)': ffmpeg(
    (to) => `aresample=${to}:filter_size=64:filter_type=kaiser:kaiser_beta=10:cutoff=0.97`,
  ),
  'soxr, precision 28': ffmpeg((to) => `aresample=${to}:resampler=soxr:precision=28`),
  'sox rate -v': (from, to, channels) =>
    `sox -D -t f32 -r ${from} -c ${channels} ${path('in.f32')} -t f32 ${path('out.f32')} rate -v ${to}`.split(' '),
};

function ours(planes: readonly Float32Array[], from: number, to: number): readonly Float32Array[] {
  const converter = createRateConverter({ fromRate: from, toRate: to, channels: planes.length });
  const out = planes.map(() => new Float32Array(Math.round((planes[0]!.length * to) / from)));
  let [at, made] = [0, 0];
  for (; at < planes[0]!.length; at += from) {
    const block = planes.map((plane) => plane.subarray(at, at + from));
    const ready = converter.ready(block[0]!.length);
    converter.process(
      block,
      out.map((plane) => plane.subarray(made)),
    );
    made += ready;
  }
  converter.flush(out.map((plane) => plane.subarray(made)));
  return out;
}

function put(planes: readonly Float32Array[]): void {
  const [first, second] = planes as [Float32Array, Float32Array | undefined];
  const together = second ? new Float32Array(2 * first.length) : first;
  if (second) for (const [i, sample] of first.entries()) together.set([sample, second[i]!], 2 * i);
  writeFileSync(path('in.f32'), together);
}

const userSeconds = (command: readonly string[]): number => {
  const timed = spawnSync('bash', ['-c', 'TIMEFORMAT=%U; time "$@"', 'bash', ...command], { encoding: 'utf8' });
  if (timed.status !== 0) throw new Error(timed.stderr);
  return Number(timed.stderr.trim().split('\n').at(-1));
};

/** Level of one frequency, dB, by a Blackman-Harris window and Goertzel's sum. */
function levelAt(plane: Float32Array, hz: number, rate: number): number {
  const [from, length] = [Math.round(rate / 4), Math.round(rate / 2)];
  let [re, im, weights] = [0, 0, 0];
  for (let i = 0; i < length; i += 1) {
    const turn = (2 * Math.PI * i) / length;
    const weight = 0.35875 - 0.48829 * Math.cos(turn) + 0.14128 * Math.cos(2 * turn) - 0.01168 * Math.cos(3 * turn);
    const phase = (2 * Math.PI * hz * i) / rate;
    re += weight * plane[from + i]! * Math.cos(phase);
    im += weight * plane[from + i]! * Math.sin(phase);
    weights += weight;
  }
  return 20 * Math.log10((2 * Math.hypot(re, im)) / weights / 0.5 + 1e-12);
}

const tone = (hz: number, rate: number): Float32Array =>
  Float32Array.from({ length: rate }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / rate));

/** Where a tone that the rate cannot hold lies in it. */
const folded = (hz: number, rate: number): number => Math.abs(hz - rate * Math.round(hz / rate));

type Convert = (plane: Float32Array, from: number, to: number) => Float32Array;
const byPeer =
  (peer: Peer): Convert =>
  (plane, from, to) => {
    put([plane]);
    const [program = '', ...args] = peer(from, to, 1);
    execFileSync(program, args);
    const bytes = readFileSync(path('out.f32'));
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  };

/** Levels at 0.9 and 0.95 of the lower Nyquist frequency, and the worst image or alias of tones around it, dB. */
function quality(convert: Convert, from: number, to: number): readonly number[] {
  const lower = Math.min(from, to) / 2;
  const [pass, edge] = [0.9, 0.95].map((at) => levelAt(convert(tone(at * lower, from), from, to), at * lower, to));
  const worst = [0.9, 0.93, 1.07, 1.1, 1.3].map((at) => {
    const hz = at * lower;
    if (to > from) {
      // Above the old Nyquist frequency the tone of `hz` has its image at from - hz.
      return at > 0.94 ? -Infinity : levelAt(convert(tone(hz, from), from, to), from - hz, to);
    }
    return at < 1.05 || hz >= from / 2 ? -Infinity : levelAt(convert(tone(hz, from), from, to), folded(hz, to), to);
  });
  return [pass!, edge!, Math.max(...worst)];
}

function ourSeconds(planes: readonly Float32Array[], from: number, to: number): number {
  const taken = Array.from({ length: 5 }, () => {
    const start = process.threadCpuUsage();
    ours(planes, from, to);
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1e6;
  });
  return Math.min(...taken);
}

const shown = (value: number, digits: number): string => value.toFixed(digits).padStart(9);
console.log(
  'rates           | resampler                         | 0.9, dB | 0.95, dB | image or alias, dB | CPU s, 10 min stereo',
);
for (const [from, to] of [
  [44_100, 48_000],
  [48_000, 44_100],
  [48_000, 16_000],
  [16_000, 48_000],
] as const) {
  const scale = 600 / seconds;
  const planes = [noise(from * seconds, 1, 0.5), noise(from * seconds, 2, 0.5)];
  const line = (name: string, [pass = 0, edge = 0, worst = 0]: readonly number[], cpu: number): void =>
    console.log(
      [
        `${from} to ${to}`.padEnd(15),
        name.padEnd(33),
        shown(pass, 4),
        shown(edge, 3),
        shown(worst, 1),
        shown(cpu * scale, 2),
      ].join(' | '),
    );
  line(
    'ours',
    quality((plane) => ours([plane], from, to)[0]!, from, to),
    ourSeconds(planes, from, to),
  );
  for (const [name, peer] of Object.entries(peers)) {
    const found = quality(byPeer(peer), from, to);
    put(planes);
    const least = (command: readonly string[]): number =>
      Math.min(...Array.from({ length: 3 }, () => userSeconds(command)));
    const alone = name.startsWith('sox rate') ? peer(from, from, 2).slice(0, -3) : ffmpeg(() => 'anull')(from, from, 2);
    line(name, found, least(peer(from, to, 2)) - least(alone));
  }
}
rmSync(folder, { recursive: true });
