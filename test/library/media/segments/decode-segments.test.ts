// @module-tag slower
// Sound that is decoded in segments: the same samples as one decoder gives, on any number of threads, whatever is wrong
// with the file.
import { createHash, type Hash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { gainToDb } from '../../../../src/library/core/levels.ts';
import { type AudioSource, openAudio } from '../../../../src/library/media/read/decode.ts';
import { discard, drive } from '../../../../src/library/media/read/drive.ts';
import { openToMeasure } from '../../../../src/library/media/read/segments/open-segments.ts';
import { type EncodeOptions, openEncoder } from '../../../../src/library/media/write/encode.ts';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';
import { hasFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { joined, make, noise, voice } from '../../../fixtures/media/signals.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';

const at = scratch();
const stopping = new AbortController();
const { signal } = stopping;
afterAll(() => stopping.abort());

const segmentSeconds = 3;
const someThreads = [1, 2, 3, 8];
const fanOutOf = (threads: number): ReturnType<typeof createFanOut> =>
  createFanOut(threads, signal, { mostThreads: 8, memoryBytes: 8e9 });

/** A voice, clicks in silence, and noise in turn. */
function planesOf(seconds: number, hz: number, channels: number): Float32Array[] {
  const part = Math.round(hz * 2.3);
  const clicks = make(part, (i) => (i % 9000 === 5000 ? 0.8 : 0));
  return Array.from({ length: channels }, (_, channel) =>
    joined(
      ...Array.from({ length: Math.ceil(seconds / 6.9) }, (__, round) => [
        voice(part, hz, 1 + round + 50 * channel),
        clicks,
        noise(part, 1 + round + 50 * channel, 0.2),
      ]).flat(),
    ).subarray(0, Math.round(seconds * hz)),
  );
}

function encoded(name: string, options: EncodeOptions, hz: number, channels = 2, seconds = 20): string {
  const path = at(`${name}.${options.format}`);
  const planes = planesOf(seconds, hz, channels);
  const input = { sampleRate: hz, channels, layout: channels === 1 ? 'mono' : 'stereo' };
  const sink = openEncoder(path, input, options);
  sink.write({ planes, frames: planes[0]?.length ?? 0 });
  sink.finish();
  sink.close();
  return path;
}

interface Heard {
  readonly frames: number;
  readonly hashes: readonly string[];
  readonly rmsDb: readonly number[];
  readonly warnings: readonly string[];
}

async function heard(source: AudioSource): Promise<Heard> {
  const hashes: Hash[] = Array.from({ length: source.format.channels }, () => createHash('sha256'));
  const squares = hashes.map(() => 0);
  let frames = 0;
  const listen = (planes: readonly Float32Array[]): void => {
    for (const [channel, plane] of planes.entries()) {
      hashes[channel]?.update(plane);
      squares[channel] = plane.reduce((sum, x) => sum + x * x, squares[channel] ?? 0);
    }
  };
  try {
    for (;;) {
      await source.ready?.();
      const block = source.next();
      if (block === null) break;
      frames += block.frames;
      listen(block.planes);
      await turn();
    }
    return {
      frames,
      hashes: hashes.map((hash) => hash.digest('hex')),
      rmsDb: squares.map((sum) => gainToDb(Math.sqrt(sum / frames))),
      warnings: source.warnings.map(({ code, message }) => `${code}: ${message}`),
    };
  } finally {
    source.close();
  }
}

/** What is heard on so many threads, and from where on by one decoder. */
async function inSegments(path: string, threads: number): Promise<Heard & { readonly whole: number | null }> {
  let whole: number | null = null;
  const source = openToMeasure(probe(path), {
    fanOut: fanOutOf(threads),
    signal,
    segmentSeconds,
    onWhole: (seconds) => (whole = seconds),
  });
  return { ...(await heard(source)), whole };
}

describe('the same samples as one decoder', () => {
  const cases: [EncodeOptions, number, number][] = [
    [{ format: 'mp3' }, 44_100, 2],
    [{ format: 'mp3', bitrateKbps: 320 }, 48_000, 2],
    [{ format: 'mp3', bitrateKbps: 64 }, 22_050, 1],
    [{ format: 'opus', bitrateKbps: 128 }, 48_000, 2],
    [{ format: 'ogg' }, 44_100, 2],
    [{ format: 'flac' }, 44_100, 2],
  ];
  it.each(cases)('%o at %i Hz with %i channels', async (options, hz, channels) => {
    const path = encoded('same', options, hz, channels);
    const alone = await heard(openAudio(probe(path)));
    for (const threads of someThreads)
      expect({ threads, ...(await inSegments(path, threads)) }).toEqual({ threads, ...alone, whole: null });
  });

  it('of a variable bit rate, and of AAC without made-up noise', async () => {
    if (!hasFfmpeg) return;
    const wav = encoded('source', { format: 'wav' }, 44_100);
    for (const [name, ...args] of [
      ['vbr.mp3', '-c:a', 'libmp3lame', '-q:a', '5'],
      ['plain.m4a', '-c:a', 'aac', '-aac_pns', '0'],
      ['plain.aac', '-c:a', 'aac', '-aac_pns', '0'],
    ] as const) {
      const path = at(name);
      expect(spawnSync('ffmpeg', ['-v', 'error', '-y', '-i', wav, ...args, path]).status).toBe(0);
      const alone = await heard(openAudio(probe(path)));
      for (const threads of someThreads)
        expect({ name, threads, ...(await inSegments(path, threads)) }).toEqual({
          name,
          threads,
          ...alone,
          whole: null,
        });
    }
  });

  it('AAC with noise that the decoder makes up: the same on all threads, and as loud as from one decoder', async () => {
    const path = encoded('noise', { format: 'm4a', bitrateKbps: 96 }, 44_100);
    const alone = await heard(openAudio(probe(path)));
    const inTurn = await inSegments(path, 1);
    for (const threads of someThreads) expect(await inSegments(path, threads)).toEqual(inTurn);
    expect(inTurn).toMatchObject({ frames: alone.frames, warnings: alone.warnings, whole: null });
    for (const [channel, level] of inTurn.rmsDb.entries()) expect(level).toBeCloseTo(alone.rmsDb[channel] ?? 0, 2);
  });
});

describe('what one decoder alone can read is read by one', () => {
  /** @returns from where on one decoder reads */
  async function expectSame(path: string): Promise<Set<number | null>> {
    const alone = await heard(openAudio(probe(path)));
    const wholes = new Set<number | null>();
    for (const threads of someThreads.slice(1)) {
      const { whole, ...rest } = await inSegments(path, threads);
      expect({ threads, ...rest }).toEqual({ threads, ...alone });
      wholes.add(whole);
    }
    return wholes;
  }

  it.each(['mp3', 'opus', 'ogg', 'flac'] as const)('%s with damage in its middle', async (format) => {
    const path = encoded('damaged', { format }, 48_000);
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    for (let i = 0; i < 3000; i += 1) bytes[middle + i] = (i * 7919 + (i >> 3)) & 0xff;
    writeFileSync(path, bytes);
    await expectSame(path);
  });

  it.each(['mp3', 'opus', 'ogg', 'flac'] as const)('%s that was cut off', async (format) => {
    const path = encoded('cut', { format }, 44_100);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * 0.63)));
    await expectSame(path);
  });

  it('Ogg files one behind another', async () => {
    const [one, other] = [
      encoded('one', { format: 'opus', bitrateKbps: 128 }, 48_000),
      encoded('other', { format: 'opus', bitrateKbps: 128 }, 48_000, 1, 9),
    ];
    const path = at('chained.opus');
    writeFileSync(path, Buffer.concat([readFileSync(one), readFileSync(other)]));
    await expectSame(path);
  });

  it('Opus that codes speech by another method', async () => {
    const [whole] = await expectSame(encoded('speech', { format: 'opus', bitrateKbps: 12 }, 48_000, 1));
    expect(whole).toBeCloseTo(segmentSeconds, 1);
  });

  it('a gap between times', async () => {
    if (!hasFfmpeg) return;
    const plain = at('no-gap.m4a');
    const wav = encoded('source', { format: 'wav' }, 44_100);
    spawnSync('ffmpeg', ['-v', 'error', '-y', '-i', wav, '-c:a', 'aac', '-aac_pns', '0', plain]);
    const path = at('gap.m4a');
    const later = ['-bsf:a', 'setts=ts=if(gt(N\\,400)\\,TS+30000\\,TS)'];
    expect(spawnSync('ffmpeg', ['-v', 'error', '-y', '-i', plain, '-c', 'copy', ...later, path]).status).toBe(0);
    const { frames } = await heard(openAudio(probe(plain)));
    expect((await heard(openAudio(probe(path)))).frames).toBeGreaterThan(frames + 20_000);
    const wholes = await expectSame(path);
    expect(wholes.size).toBe(1);
    expect(wholes.has(null)).toBe(false);
  });
});

it('an abort in the middle ends the threads', async () => {
  const path = encoded('abort', { format: 'mp3' }, 44_100, 2, 60);
  const aborting = new AbortController();
  const fanOut = fanOutOf(2);
  const source = openToMeasure(probe(path), { fanOut, signal: aborting.signal, segmentSeconds });
  let blocks = 0;
  const run = drive(
    source,
    [],
    (block) => {
      discard(block);
      if ((blocks += 1) === 10) aborting.abort();
    },
    { signal: aborting.signal, onProgress: () => undefined },
  );
  await expect(run).rejects.toThrow('aborted');
  source.close();
  // Both threads take other work.
  const other = await heard(openToMeasure(probe(path), { fanOut, signal, segmentSeconds }));
  expect(other.hashes).toEqual((await heard(openAudio(probe(path)))).hashes);
});

it('threads come and go while the sound is read', async () => {
  const path = encoded('shares', { format: 'mp3' }, 44_100, 2, 60);
  const fanOut = fanOutOf(3);
  const source = openToMeasure(probe(path), { fanOut, signal, segmentSeconds });
  let blocks = 0;
  const counted: AudioSource = {
    ...source,
    ready: () => source.ready?.() ?? null,
    next() {
      blocks += 1;
      if (blocks % 8 === 0) fanOut.setCores([1, 3, 2][(blocks / 8) % 3] ?? 1);
      return source.next();
    },
  };
  expect((await heard(counted)).hashes).toEqual((await heard(openAudio(probe(path)))).hashes);
});
