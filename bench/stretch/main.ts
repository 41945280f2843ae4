// How near a sound of another pace stays to itself: spectra of change-pace and of ffmpeg's atempo, each against the
// sound's own at the same place. 0 is the sound itself. Needs Debian's ffmpeg. Usage: node bench/stretch/main.ts
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { changePace } from '../../src/library/dsp/stretch/change-pace.ts';

const rate = 48_000;
const frame = 2048;
const speeds = [0.7, 1.25, 1.75];
const recordings = fileURLToPath(new URL('../../test/recordings/', import.meta.url));
const chord =
  'aevalsrc=0.1*(sin(1231*t)+sin(1552*t)+sin(1847*t)+0.5*sin(616*t)+0.3*sin(4926*t))*' +
  String.raw`(0.4+0.6*exp(-4*mod(t\,0.5))):d=8:s=48000`;
const sounds: Readonly<Record<string, readonly string[]>> = {
  jfk: ['-i', `${recordings}jfk.flac`],
  austen: ['-t', '8', '-i', `${recordings}austen-0870.flac`],
  meeting: ['-t', '8', '-i', `${recordings}ami-trn05.flac`],
  clean: ['-t', '8', '-i', `${recordings}clean_speech_48k.flac`],
  chord: ['-f', 'lavfi', '-i', chord],
};

function read(input: readonly string[], filter = 'anull'): Float32Array {
  const form = ['-ac', '1', '-ar', String(rate), '-f', 'f32le', '-'];
  const bytes = execFileSync('ffmpeg', ['-v', 'error', ...input, '-af', `aresample=${rate},${filter}`, ...form], {
    maxBuffer: 2 ** 28,
  });
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function through(sound: Float32Array, speed: number): Float32Array {
  const stage = changePace(speed);
  stage.open({ sampleRate: rate, channels: 1, layout: 'mono' });
  const out = new Float32Array(Math.round(sound.length / speed));
  let at = 0;
  const take = ({ planes }: { readonly planes: readonly Float32Array[] }): void => {
    out.set(planes[0]!, at);
    at += planes[0]!.length;
  };
  stage.process({ planes: [sound], frames: sound.length }, take);
  stage.flush(take);
  return out;
}

/** Magnitudes up to 8 kHz, every second bin, by Goertzel's method: an own transform would be a second truth. */
const bins = Array.from({ length: 170 }, (_, at) => 2 * Math.cos((2 * Math.PI * (2 * at + 2)) / frame));
const window = Float64Array.from({ length: frame }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / frame));
function magnitudes(sound: Float32Array, from: number): Float64Array {
  const windowed = window.map((weight, at) => weight * (sound[from + at] ?? 0));
  return Float64Array.from(bins, (turn) => {
    let [one, two] = [0, 0];
    for (const sample of windowed) [one, two] = [sample + turn * one - two, one];
    return Math.sqrt(Math.max(0, one * one + two * two - turn * one * two));
  });
}

/** Mean distance of spectra; of places within 15 ms the nearest, since a frame may be taken from there. */
function distance(sound: Float32Array, other: Float32Array, speed: number): number {
  const found: number[] = [];
  for (let at = frame; at < other.length - 2 * frame; at += 4800) {
    const theirs = magnitudes(other, at);
    if (theirs.reduce((sum, value) => sum + value * value, 0) < 1) continue;
    const place = Math.round((at + frame / 2) * speed - frame / 2);
    const near = [-720, -480, -240, 0, 240, 480, 720].map((lag) => {
      const ours = magnitudes(sound, place + lag);
      const apart = ours.reduce((sum, value, bin) => sum + (value - theirs[bin]!) ** 2, 0);
      return Math.sqrt(apart / ours.reduce((sum, value) => sum + value * value, 1e-9));
    });
    found.push(Math.min(...near));
  }
  return found.reduce((sum, value) => sum + value, 0) / found.length;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
for (const [name, input] of Object.entries(sounds)) {
  const sound = read(input);
  const startedAt = performance.now();
  const ours = speeds.map((speed) => through(sound, speed));
  const seconds = (performance.now() - startedAt) / 1000;
  const own = mean(ours.map((other, at) => distance(sound, other, speeds[at]!)));
  const ffmpeg = mean(speeds.map((speed) => distance(sound, read(input, `atempo=${speed}`), speed)));
  process.stdout.write(
    `${name.padEnd(8)} here ${own.toFixed(3)}, ffmpeg ${ffmpeg.toFixed(3)}; ` +
      `${((speeds.length * sound.length) / rate / seconds).toFixed(0)} times real time\n`,
  );
}
