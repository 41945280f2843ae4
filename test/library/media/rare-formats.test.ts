// DSDIFF and QCP: what they say of themselves, and their sound against ffmpeg's reading.
import { expect, it } from 'vitest';
import { probe } from '../../../src/library/media/read/probe.ts';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { decodeByFfmpeg, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeDsdiff, writeQcp } from '../../fixtures/media/rare-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { difference, maxAbs, seeded, toneLevelDb } from '../../fixtures/media/signals.ts';

const at = scratch();

it('DSDIFF: a tone is read at its level, and a conversion keeps it as FLAC', async (context) => {
  const rate = 64 * 44_100;
  const samples = Float32Array.from({ length: rate / 4 }, (_, n) => 0.25 * Math.sin((2 * Math.PI * 1000 * n) / rate));
  const path = writeDsdiff(at('tone.dff'), samples);
  expect(await probe(path)).toMatchObject({ format: 'dff', durationSeconds: 0.25, audio: { channels: 1 } });
  const { path: converted } = await runTool(convertAudio, path, { format: 'flac', sample_rate: 48_000 }, at('dff-'));
  const sound = readAll(converted);
  expect(Math.abs(sound.frames - 12_000)).toBeLessThanOrEqual(1);
  const steady = (sound.planes[0] as Float32Array).slice(2000, 10_000);

  expect(toneLevelDb(steady, 48_000, 1000)).toBeCloseTo(20 * Math.log10(0.25), 1);
  needFfmpeg(context);
  const [own, other] = [readAll(path).planes[0] as Float32Array, decodeByFfmpeg(path).planes[0] as Float32Array];
  expect(own.length).toBe(other.length);
  expect(difference(own, other)).toBeLessThan(1e-6);
});

it('QCP: as long as its frames, and the sound that ffmpeg reads', async (context) => {
  const random = seeded(20_261_124);
  // No reserved bits set, so that the decoder takes each frame.
  const frames = Array.from({ length: 50 }, () => {
    const frame = Buffer.from(Array.from({ length: 34 }, () => Math.floor(random() * 256)));
    frame[33] = (frame[33] as number) & 0xfc;
    return frame;
  });
  const path = writeQcp(at('voice.qcp'), frames);
  expect(await probe(path)).toMatchObject({ format: 'qcp', audio: { codec: 'qcelp', sampleRate: 8000, channels: 1 } });
  const own = readAll(path).planes[0] as Float32Array;
  expect(own.length).toBe(50 * 160);
  expect(maxAbs(own)).toBeGreaterThan(0.01);
  needFfmpeg(context);
  expect(difference(own, decodeByFfmpeg(path).planes[0] as Float32Array)).toBeLessThan(1e-6);
});
