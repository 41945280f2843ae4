// Samples that are moved as bytes: what decoding and encoding writes, and what sox cuts.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EditList } from '../../../src/library/edit/edit-list.ts';
import { writeEdited } from '../../../src/library/edit/write.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { openPlainSamples } from '../../../src/library/media/read/plain-samples.ts';
import { planOutput } from '../../../src/library/media/write/output.ts';
import type { Stage } from '../../../src/library/pcm/stage.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { decodeByFfmpeg, ffmpeg, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { noise, seeded } from '../../fixtures/media/signals.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { rounds, slow } from '../../fixtures/rounds.ts';

const path = scratch();
const rate = 8000;
const seed = 66;

/** Changes nothing, so that samples are decoded and encoded on their way. */
const nothing: Stage = {
  latencyFrames: 0,
  open: (format) => format,
  process: (block, emit) => emit(block),
  flush: () => undefined,
  close: () => undefined,
};

/** The same noise in a form of FFmpeg's. */
function made(name: string, ...form: string[]): string {
  const wav = writeWav(path(`${name}-source.wav`), [noise(3 * rate, 1, 1), noise(3 * rate, 2, 1)], rate, 's24');
  ffmpeg('-y', '-i', wav, ...form, path(name));
  return path(name);
}

const edits: EditList = {
  sampleRate: rate,
  sourceFrames: 3 * rate,
  keeps: [
    { start: 0, end: 5000 },
    { start: 7001, end: 7003 },
    { start: 9000, end: 20_011 },
    { start: 20_020, end: 3 * rate },
  ],
  crossfadeFrames: 160,
};

async function written(file: string, given: EditList, name: string, stages: readonly Stage[]): Promise<Buffer> {
  const facts = probe(file);
  const options = { signal: new AbortController().signal, threads: null, onProgress: () => undefined, stages, name };
  const { path: out } = await writeEdited(facts, planOutput(facts, 'same'), given, dirname(file), options);
  return readFileSync(out);
}

describe('samples that are only moved', () => {
  it.for([
    ['s16.wav', ['-c:a', 'pcm_s16le']],
    ['s24.wav', ['-c:a', 'pcm_s24le', '-metadata', 'title=A title']],
    ['long.wav', ['-c:a', 'pcm_s16le', '-rf64', 'always']],
    ['s16.w64', ['-c:a', 'pcm_s16le']],
    ['s16.aiff', ['-c:a', 'pcm_s16be']],
    ['s24.aiff', ['-c:a', 'pcm_s24be', '-metadata', 'title=A title']],
    ['six.wav', ['-c:a', 'pcm_s24le', '-ac', '6']],
  ] as const)('are copied out of %s as they are, and fade at seams as they did', async ([name, form], context) => {
    needFfmpeg(context);
    const file = made(name, ...form);
    const samples = openPlainSamples(probe(file));
    expect(samples?.frames).toBe(3 * rate);
    expect(samples?.planes(0, 3 * rate)).toEqual(readAll(file).planes);
    samples?.close();
    for (const given of [edits, { ...edits, crossfadeFrames: 0 }]) {
      const copied = await written(file, given, 'copied', []);
      expect(copied.equals(await written(file, given, 'rendered', [nothing]))).toBe(true);
    }
  });

  it('are decoded where they are floats, or fewer bits than their room', (context) => {
    needFfmpeg(context);
    for (const [name, codec] of Object.entries({ 'f32.wav': 'pcm_f32le', 'u8.wav': 'pcm_u8', 's32.wav': 'pcm_s32le' }))
      expect(openPlainSamples(probe(made(name, '-c:a', codec))), name).toBeNull();
  });

  it('are never read where a damaged header means something else', slow, (context) => {
    needFfmpeg(context);
    const random = seeded(seed);
    console.info(`copied samples: seed ${seed}`);
    let opened = 0;
    for (const [name, form, head] of [
      ['hostile.wav', 'pcm_s16le', 44],
      ['hostile.aiff', 'pcm_s16be', 54],
    ] as const) {
      const whole = readFileSync(made(name, '-c:a', form));
      for (let round = 0; round < rounds(60, 3000); round += 1) {
        const bytes = Buffer.from(whole.subarray(0, round % 5 === 0 ? whole.length - 3000 : whole.length));
        for (let count = 0; count < 1 + random() * 2; count += 1)
          bytes[Math.floor(random() * head)] = random() < 0.5 ? Math.floor(random() * 256) : Math.floor(random() * 4);
        const file = path(name);
        writeFileSync(file, bytes);
        let samples;
        try {
          samples = openPlainSamples(probe(file));
        } catch {
          continue;
        }
        if (!samples) continue;
        opened += 1;
        const { planes } = readAll(file);
        expect(samples.frames, `${name}, round ${round}`).toBe(planes[0]?.length);
        expect(samples.planes(0, samples.frames), `${name}, round ${round}`).toEqual(planes);
        samples.close();
      }
    }
    // Bytes of names and numbers that FFmpeg does not read either.
    expect(opened).toBeGreaterThan(3);
  });

  it('are joined as they are, beside others that are converted', async (context) => {
    needFfmpeg(context);
    const [one, two] = [made('one.wav', '-c:a', 'pcm_s16le'), made('two.wav', '-c:a', 'pcm_s16le', '-ac', '1')];
    const options = { match_loudness: false, output_format: 'same' } as const;
    const { path: joined } = await runTool(joinAudio, { file_ids: [one, two, one] }, options, path('join-'));
    const read = decodeByFfmpeg(joined);
    const [first, second] = [decodeByFfmpeg(one), decodeByFfmpeg(two)];
    for (const channel of [0, 1])
      expect(Array.from(read.planes[channel]!)).toEqual([
        ...first.planes[channel]!,
        ...second.planes[0]!,
        ...first.planes[channel]!,
      ]);
  });
});
