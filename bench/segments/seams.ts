// What segments cost at their joints: the same sound encoded in one go and in segments of a few seconds, both decoded
// by Debian's ffmpeg, and compared with the original around each joint. Prints a table.
//   node bench/segments/seams.ts [--seconds=120] [--only=mp3,opus] [--sound=speech,music]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputFormatId } from '../../src/library/media/formats.ts';
import { openEncoder } from '../../src/library/media/write/encode.ts';
import { type Material, materials, rate, type Stereo } from './material.ts';

const flag = (name: string, usual: string): string =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
const seconds = Number(flag('seconds', '120'));
const only = flag('only', 'mp3,ogg,opus,m4a').split(',');
const sounds = flag('sound', Object.keys(materials).join(',')).split(',') as Material[];
const folder = mkdtempSync(join(tmpdir(), 'earshot-seams-'));

interface Case {
  readonly format: OutputFormatId;
  readonly kbps: number;
  /** Rather short, so that there are many joints; AAC's pre-roll alone is 5 s. */
  readonly segmentSeconds: number;
}
const cases: Case[] = [
  { format: 'mp3', kbps: 128, segmentSeconds: 8 },
  { format: 'mp3', kbps: 192, segmentSeconds: 8 },
  { format: 'ogg', kbps: 160, segmentSeconds: 6 },
  { format: 'opus', kbps: 96, segmentSeconds: 7 },
  { format: 'opus', kbps: 128, segmentSeconds: 8 },
  { format: 'm4a', kbps: 160, segmentSeconds: 20 },
];

function encode(name: string, planes: Stereo, one: Case, segmentSeconds: number, joints: number[] = []): string {
  const path = join(folder, `${name}.${one.format}`);
  const input = { sampleRate: rate, channels: 2, layout: 'stereo' };
  const sink = openEncoder(path, input, {
    format: one.format,
    bitrateKbps: one.kbps,
    segmentSeconds,
    onJoint: (joint) => joints.push(Math.round(joint * rate)),
  });
  for (let at = 0; at < planes[0].length; at += rate)
    sink.write({
      planes: planes.map((plane) => plane.subarray(at, at + rate)),
      frames: planes[0].subarray(at, at + rate).length,
    });
  sink.finish();
  sink.close();
  return path;
}

/** Interleaved at 44.1 kHz; what ffmpeg complains of is an error. */
function decode(path: string): Float32Array {
  const args = ['-v', 'warning', '-i', path, '-f', 'f32le', '-ar', String(rate), '-ac', '2', '-'];
  const ran = spawnSync('ffmpeg', args, { maxBuffer: 2 ** 31 });
  if (ran.status !== 0 || ran.stderr.length > 0) throw new Error(`ffmpeg of ${path}: ${ran.stderr.toString()}`);
  return new Float32Array(ran.stdout.buffer.slice(ran.stdout.byteOffset, ran.stdout.byteOffset + ran.stdout.length));
}

/** dB over 50 ms on both sides of a place. */
function snr(planes: Stereo, decoded: Float32Array, place: number): number {
  const reach = Math.round(0.05 * rate);
  let [signal, error] = [1e-12, 1e-12];
  for (let i = Math.max(0, place - reach); i < Math.min(planes[0].length, place + reach); i += 1)
    for (const channel of [0, 1] as const) {
      const sample = planes[channel][i] as number;
      signal += sample ** 2;
      error += (sample - (decoded[2 * i + channel] ?? 0)) ** 2;
    }
  return 10 * Math.log10(signal / error);
}

/** Share of samples that are the same. */
function same(one: Float32Array, other: Float32Array): number {
  let count = 0;
  for (let i = 0; i < one.length; i += 1) if (one[i] === other[i]) count += 1;
  return count / one.length;
}

console.log(
  '| Codec | Sound | Joints of | dSNR mean, dB | worst | Size | Same samples |\n|---|---|---|---|---|---|---|',
);
for (const sound of sounds) {
  const planes = materials[sound](seconds * rate);
  for (const one of cases.filter(({ format }) => only.includes(format))) {
    const whole = encode('whole', planes, one, Number.POSITIVE_INFINITY);
    const joints: number[] = [];
    const parts = encode('parts', planes, one, one.segmentSeconds, joints);
    const [asWhole, inParts] = [decode(whole), decode(parts)];
    if (asWhole.length !== inParts.length)
      throw new Error(`${one.format}: ${inParts.length} samples, not ${asWhole.length}`);
    const losses = joints.map((joint) => snr(planes, inParts, joint) - snr(planes, asWhole, joint));
    const size = statSync(parts).size / statSync(whole).size - 1;
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    console.log(
      `| ${one.format} ${one.kbps} | ${sound} | ${losses.length} of ${Math.ceil(seconds / one.segmentSeconds) - 1} | ` +
        `${mean.toFixed(2)} | ${Math.min(...losses).toFixed(2)} | ${(100 * size).toFixed(3)} % | ` +
        `${(100 * same(asWhole, inParts)).toFixed(1)} % |`,
    );
  }
}
rmSync(folder, { recursive: true, force: true });
