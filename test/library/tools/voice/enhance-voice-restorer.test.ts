// enhance_voice with a network of the user's own for the highs. Its network is one that can be written down:
// test/fixtures/networks/restorer.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDemoClip } from '../../../fixtures/media/demo-clip.ts';
import { createRestorer, tryRestorer } from '../../../../src/library/dsp/voice/restorer.ts';
import { spliceHighs } from '../../../../src/library/dsp/voice/splice-highs.ts';
import { createFormatConverter } from '../../../../src/library/media/convert/format-converter.ts';
import { requireSlot } from '../../../../src/library/models/manifest.ts';
import { addOwnModel, readOwnModel } from '../../../../src/library/models/own-models.ts';
import { compose } from '../../../../src/library/pcm/compose.ts';
import { createSpool } from '../../../../src/library/pcm/spool.ts';
import { readRestored, restoreVoice } from '../../../../src/library/tools/enhance_voice/restore.ts';
import { enhanceVoice } from '../../../../src/library/tools/enhance_voice/tool.ts';
import { readAll, scratch, thrownBy } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { lagOf, spectrumOf } from '../../../fixtures/media/signals.ts';
import { seeded } from '../../../fixtures/random.ts';
import { restorerNetwork } from '../../../fixtures/networks/restorer.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const at = scratch();
const models = at('models');
const rate = 48_000;
const mono = { sampleRate: rate, channels: 1, layout: 'mono' } as const;
const before = process.env['EARSHOT_NOISE_ENGINE'];
beforeAll(async () => {
  process.env['EARSHOT_NOISE_ENGINE'] = 'rnnoise';
  writeFileSync(at('network.onnx'), restorerNetwork());
  await addOwnModel(requireSlot('voice-restorer'), at('network.onnx'), models, tryRestorer);
});
afterAll(() => {
  if (before === undefined) delete process.env['EARSHOT_NOISE_ENGINE'];
  else process.env['EARSHOT_NOISE_ENGINE'] = before;
});

writeFileSync(at('clip.wav'), makeDemoClip());
const clip = readAll(at('clip.wav')).planes[0] as Float32Array;

/** All of a plane at another rate. */
function converted(plane: Float32Array, from: number, to: number): Float32Array {
  const converter = createFormatConverter({ ...mono, sampleRate: from }, { sampleRate: to, channels: 1 });
  const parts = [converter.convert({ planes: [plane], frames: plane.length }), null].map(
    (block) => block && (block.planes[0] as Float32Array).slice(0, block.frames),
  );
  const rest = converter.flush();
  if (rest) parts.push((rest.planes[0] as Float32Array).slice(0, rest.frames));
  return Float32Array.from(parts.flatMap((part) => (part ? [...part] : [])));
}

function bandDb(plane: Float32Array, fromHz: number, toHz: number): number {
  let sum = 0;
  for (let from = 0; from + 8192 <= plane.length; from += 8192) {
    const { binHz, levelsDb } = spectrumOf(plane, rate, 8192, from);
    for (let bin = Math.ceil(fromHz / binHz); bin < toHz / binHz; bin += 1)
      sum += 10 ** ((levelsDb[bin] as number) / 10);
  }
  return 10 * Math.log10(sum);
}

describe('a telephone voice', () => {
  const call = writeWav(at('call.wav'), [converted(clip, rate, 8000)], 8000);
  const enhance = (modelsDir: string) =>
    runTool(enhanceVoice, call, { auto_volume: false }, at('work-'), undefined, modelsDir);

  it('gets its highs from the network, in step and as long', slower, async () => {
    const [without, with_] = [await enhance(at('no-models')), await enhance(models)];
    expect(without.result['found']).toMatchObject({ bandwidthRestored: true, bandwidthRestorer: 'built-in' });
    expect(with_.result['found']).toMatchObject({ bandwidthRestored: true, bandwidthRestorer: 'voice-restorer' });
    const [a, b] = [without, with_].map(({ path }) => readAll(path).planes[0] as Float32Array) as [
      Float32Array,
      Float32Array,
    ];
    expect(b.length).toBe(clip.length);
    expect(lagOf(clip, b)).toBe(0);
    // The network's mirror images around 16 kHz, raised by 6 dB at most; the built-in extension ends at 14.5 kHz.
    const mirrored = (plane: Float32Array): number => bandDb(plane, 16_500, 19_000) - bandDb(clip, 500, 3000);
    expect(mirrored(a)).toBeLessThan(-40);
    expect(mirrored(b)).toBeGreaterThan(-6);
    expect(mirrored(b)).toBeLessThan(6);
  });

  it('is not touched when the network has changed since it was added', slow, async () => {
    const damaged = at('damaged');
    await addOwnModel(requireSlot('voice-restorer'), at('network.onnx'), damaged, tryRestorer);
    writeFileSync(join(damaged, 'voice-restorer', 'restorer.onnx'), restorerNetwork({ becomes: [1, 1, 1] }));
    expect(await thrownBy(() => enhance(damaged))).toMatchObject({
      code: 'tool_unavailable',
      details: { model: 'voice-restorer' },
    });
  });
});

describe('pieces', () => {
  it.each([0, 0.3, 1, 7.99, 8, 8.5, 9, 9.02, 15.3, 40])('of %f s join without a seam', slow, async (seconds) => {
    const random = seeded(7);
    const frames = Math.round(seconds * rate);
    const voice = Float32Array.from({ length: frames }, () => random() - 0.5);
    const clean = createSpool(at(`clean-${seconds}`), { ...mono, channels: 2, layout: 'stereo' });
    // The mean of both channels is the voice.
    for (let from = 0; from < frames; from += rate) {
      const part = voice.slice(from, from + rate);
      clean.write({ planes: [part.map((x) => 1.5 * x), part.map((x) => 0.5 * x)], frames: part.length });
    }
    const restorer = await createRestorer((await readOwnModel('voice-restorer', models))!);
    const spool = await restoreVoice(clean, [0, 1], 0, {
      restorer,
      workDir: at(`work-of-${seconds}-`).replace(/[^/]*$/, ''),
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    const expected = converted(voice, rate, 16_000);
    const reader = readRestored(spool);
    const got = reader.read(frames + 100);
    reader.close();
    let worst = 0;
    for (let i = 0; i < frames; i += 1)
      worst = Math.max(worst, Math.abs((got[i] as number) - (i % 3 === 0 ? 3 * (expected[i / 3] ?? 0) : 0)));
    expect(worst).toBeLessThan(1e-5);
    for (const one of [clean, spool]) one.remove();
    await restorer.close();
  });
});

describe('splicing', () => {
  it('leaves own sound below the cut-off alone and gives each channel highs as strong as its voice', () => {
    const seconds = 3;
    const tone = (hz: number): Float32Array =>
      Float32Array.from({ length: seconds * rate }, (_, i) => 0.1 * Math.sin((2 * Math.PI * hz * i) / rate));
    const [low, high] = [tone(2500), tone(7000)];
    // The copy is 6 dB too quiet; the right channel is half as loud as the left.
    const copy = low.map((x, i) => 0.5 * (x + (high[i] as number)));
    let from = 0;
    let closed = false;
    const stage = spliceHighs({
      cutoffHz: 4000,
      restored: { read: (frames) => copy.slice(from, (from += frames)), close: () => void (closed = true) },
    });
    const pipeline = compose([stage], { ...mono, channels: 2, layout: 'stereo' });
    const out = [new Float32Array(seconds * rate), new Float32Array(seconds * rate)];
    let done = 0;
    const take = ({ planes, frames }: { planes: readonly Float32Array[]; frames: number }): void => {
      for (const [channel, plane] of planes.entries()) out[channel]?.set(plane.subarray(0, frames), done);
      done += frames;
    };
    for (let second = 0; second < seconds; second += 1) {
      const part = low.slice(second * rate, (second + 1) * rate);
      pipeline.process({ planes: [part, part.map((x) => x / 2)], frames: rate }, take);
    }
    pipeline.flush(take);
    pipeline.close();
    expect(done).toBe(seconds * rate);
    expect(closed).toBe(true);
    for (const [channel, gain] of [
      [0, 1],
      [1, 0.5],
    ] as const) {
      let worst = 0;
      for (let i = 2 * rate; i < seconds * rate - 2000; i += 1)
        worst = Math.max(
          worst,
          Math.abs((out[channel]?.[i] as number) - gain * ((low[i] as number) + (high[i] as number))),
        );
      expect(worst).toBeLessThan(0.002);
    }
  });
});
