import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { encoderLevelDb } from '../../../src/library/media/write/codec/encoder-level.ts';
import { openEncoder } from '../../../src/library/media/write/encode.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-level-'));
afterAll(() => rmSync(folder, { recursive: true }));
const rate = 44_100;

/** Of a second of a tone, after and before, dB. */
function changeDb(kbps: number, channels: number): number {
  const path = join(folder, `${kbps}-${channels}.mp3`);
  const tone = Float32Array.from({ length: rate }, (_, i) => 0.3 * Math.sin((2 * Math.PI * 440 * i) / rate));
  const format = { sampleRate: rate, channels, layout: channels === 1 ? 'mono' : 'stereo' };
  const sink = openEncoder(path, format, { format: 'mp3', bitrateKbps: kbps });
  sink.write({ planes: Array.from({ length: channels }, () => tone.slice()), frames: rate });
  sink.finish();
  sink.close();
  const source = openAudio(probe(path));
  let energy = 0;
  for (let block = source.next(); block; block = source.next())
    for (const plane of block.planes) for (const sample of plane) energy += sample ** 2;
  source.close();
  return 10 * Math.log10(energy / (channels * tone.reduce((sum, sample) => sum + sample ** 2, 0)));
}

test.for([64, 96, 128, 160, 192, 224, 256, 320])('what LAME does to the level at %i kbit/s is known', (kbps) => {
  for (const channels of [1, 2])
    expect(Math.abs(changeDb(kbps, channels) - encoderLevelDb('mp3', kbps))).toBeLessThan(0.02);
});
