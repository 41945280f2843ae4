// @module-tag slow
// What the front page says of its example, against ffmpeg's reading of the sounds that it plays.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ffmpeg, loudnessByFfmpeg, needFfmpeg, scratch } from '../../fixtures/media/media.ts';
import type { Example } from '../../../src/site/front/example-data.ts';

const file = scratch();
const root = new URL('../../../', import.meta.url);
const example = JSON.parse(readFileSync(new URL('src/site/example.json', root), 'utf8')) as Example;

it('plays two sounds of one loudness, as quiet in the pause as the page says', async (context) => {
  needFfmpeg(context);
  const { makeExample } = (await import(new URL('scripts/example.mjs', root).href)) as {
    makeExample(name: string): Promise<Buffer>;
  };
  const pauses: number[] = [];
  for (const name of ['before', 'after'] as const) {
    const path = file(`${name}.mp3`);
    writeFileSync(path, await makeExample(`example-${name}.mp3`));
    const heard = loudnessByFfmpeg(path);
    const said = example.measured[name];
    expect(Math.abs(heard.lufs - said.integratedLufs)).toBeLessThan(0.15);
    expect(Math.abs(heard.lufs + 16)).toBeLessThan(0.15);
    const pause = file(`${name}-pause.wav`);
    ffmpeg('-ss', '9.25', '-t', '0.5', '-i', path, '-f', 's16le', '-ac', '1', pause);
    const samples = new Int16Array(Uint8Array.from(readFileSync(pause)).buffer);
    const power = samples.reduce((sum, sample) => sum + (sample / 32768) ** 2, 0) / samples.length;
    pauses.push(10 * Math.log10(power));
  }
  const [before = 0, after = 0] = pauses;
  // The page says 21 dB of the floor.
  expect(before - after).toBeGreaterThan(15);
  expect(example.measured.before.noiseFloorDbfs - example.measured.after.noiseFloorDbfs).toBeGreaterThan(15);
});

it('cuts nothing but the fillers out of its transcript', () => {
  const words = example.transcript.sentences.flatMap(({ words: said }) => said);
  const cut = words.filter(({ startSeconds, endSeconds }) =>
    example.cuts.some(([from, to]) => from < (startSeconds + endSeconds) / 2 && (startSeconds + endSeconds) / 2 < to),
  );
  expect(cut.map(({ text }) => text)).toEqual(['Um,', 'Uh,']);
});
