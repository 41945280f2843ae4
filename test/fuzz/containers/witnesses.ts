// What several programs read of a file.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import type { Warning } from '../../../src/library/core/progress/progress.ts';
import { measureRecording } from '../../../src/library/media/read/recording-length.ts';
import { decodeByFfmpeg, onFileClock, planesOf, readAll } from '../../fixtures/media/media.ts';
import { findMarks, type Mark } from '../../fixtures/sounds/marks.ts';

/** null: nothing could be read. */
export type Reading = {
  readonly rate: number;
  readonly seconds: number;
  /** Of each channel, dBFS. */
  readonly levels: readonly number[];
  /** Of the loudest channel. */
  readonly marks: readonly Mark[];
} | null;

export interface OurReading {
  readonly reading: Reading;
  /** What was said instead. */
  readonly refusal: string | null;
  readonly warnings: readonly Warning[];
  /** What a quote is for, s. */
  readonly pricedSeconds: number | null;
  readonly hasVideo: boolean;
  /** How much a part of the file that is read by itself differs from that part of the whole. */
  readonly seekError: number;
}

const silentDb = -90;

function readingOf(planes: readonly Float32Array[], rate: number): Reading {
  const frames = planes[0]?.length ?? 0;
  if (frames === 0) return null;
  const levels = planes.map((plane) => {
    const power = plane.reduce((sum, sample) => sum + sample * sample, 0) / frames;
    // Samples that are no numbers are as loud as can be.
    return Number.isNaN(power) ? Number.POSITIVE_INFINITY : Math.max(silentDb, 10 * Math.log10(power));
  });
  const loudest = planes[levels.indexOf(Math.max(...levels))] as Float32Array;
  return { rate, seconds: frames / rate, levels, marks: findMarks(loudest, rate) };
}

const partSeconds = 0.2;

/** By how much a part of a file that is read by itself differs from that part of the whole. */
function seekErrorOf(path: string, whole: Float32Array, rate: number): number {
  const from = Math.round(0.55 * whole.length);
  const part = readAll(path, { from: from / rate, to: from / rate + partSeconds }).planes[0] as Float32Array;
  const expected = whole.subarray(from, from + Math.round(partSeconds * rate));
  if (Math.abs(part.length - expected.length) > 1) return 1;
  let worst = 0;
  for (let i = 0; i < Math.min(part.length, expected.length); i += 1)
    worst = Math.max(worst, Math.abs((part[i] as number) - (expected[i] as number)));
  return worst;
}

export async function readByUs(path: string): Promise<OurReading> {
  try {
    const { planes, format, warnings, facts } = readAll(path);
    const seekError = seekErrorOf(path, planes[0] as Float32Array, format.sampleRate);
    const { seconds } = await measureRecording(facts);
    return {
      reading: readingOf(planes, format.sampleRate),
      refusal: null,
      warnings,
      pricedSeconds: seconds,
      hasVideo: facts.hasVideo,
      seekError,
    };
  } catch (thrown) {
    if (!(thrown instanceof EarshotError) || thrown.code === 'internal_error') throw thrown;
    return {
      reading: null,
      refusal: `${thrown.code}: ${thrown.message}`,
      warnings: [],
      pricedSeconds: null,
      hasVideo: false,
      seekError: 0,
    };
  }
}

export function readByFfmpeg(path: string, track: number, hasPicture: boolean): Reading {
  try {
    const { planes, rate } = decodeByFfmpeg(path, { track, ...onFileClock(hasPicture) });
    return readingOf(planes, rate);
  } catch {
    return null;
  }
}

const script = `
import json, sys
import numpy, soundfile
for line in sys.stdin:
    path = line.rstrip('\\n')
    try:
        sound, rate = soundfile.read(path, dtype='float32', always_2d=True)
        sound.tofile(path + '.f32')
        print(json.dumps({'rate': rate, 'channels': sound.shape[1]}), flush=True)
    except Exception:
        print('null', flush=True)
`;

/** libsndfile, by a Python that goes on. */
export class Sndfile {
  private readonly python: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  private constructor() {
    this.python = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.python.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  /** null: it is not installed. */
  static start(): Sndfile | null {
    return spawnSync('python3', ['-c', 'import numpy, soundfile']).status === 0 ? new Sndfile() : null;
  }

  async read(path: string): Promise<Reading> {
    this.python.stdin?.write(`${path}\n`);
    const { value } = await this.lines.next();
    const form = JSON.parse(String(value ?? 'null')) as { rate: number; channels: number } | null;
    if (form === null) return null;
    const bytes = readFileSync(`${path}.f32`);
    const together = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return readingOf(planesOf(together, form.channels), form.rate);
  }

  close(): void {
    this.python.stdin?.end();
  }
}
