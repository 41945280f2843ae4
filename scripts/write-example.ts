// Writes src/site/example.json: what is said in the example of the front page, where its fillers are, its waveforms,
// and what was measured of it. Usage: node scripts/write-example.ts
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../src/library/runtime/engine/engine.ts';
import type { WaveformPeaks } from '../src/library/waveform/meter-peaks.ts';
import { peaks } from '../src/library/waveform/peaks.ts';
import { writeMade } from './write-made.ts';
import { exampleSounds, exampleSource, makeExample } from './example.mjs';

/** Bins of the drawn waveform; its height is 200, and its middle 100. */
const bins = 700;

/** An outline: along the greatest samples, and back along the least. */
function outline({ levels }: WaveformPeaks, greatest: number): string {
  const level = levels.find(({ count }) => count >= bins && count < 10 * bins);
  if (level === undefined) throw new TypeError('Expected a level of 50 bins a second');
  const at = (bin: number, side: 0 | 1): number => {
    const value = (level.data[2 * Math.floor((bin * level.count) / bins) + side] ?? 0) / 127;
    return Math.round(100 - (value / greatest) * 96);
  };
  const steps: string[] = [];
  let last = at(0, 1);
  const first = `M0 ${last}`;
  const go = (dx: number, y: number): void => {
    steps.push(`${dx}${y - last < 0 ? '' : ' '}${y - last}`);
    last = y;
  };
  for (let bin = 1; bin < bins; bin++) go(1, at(bin, 1));
  // A line that can be seen where nothing sounds.
  go(0, Math.max(at(bins - 1, 0), last + 1));
  for (let bin = bins - 2; bin >= 0; bin--) go(-1, Math.max(at(bin, 0), at(bin, 1) + 1));
  return `${first}l${steps.join(' ')}z`.replaceAll(/(\d) -/g, '$1-');
}

const folder = mkdtempSync(join(tmpdir(), 'earshot-example-'));
const control = { outputDir: folder, overwrite: true };
try {
  await using engine = createEngine({ concurrency: 1 });
  const paths: string[] = [];
  for (const name of exampleSounds) {
    paths.push(join(folder, name));
    writeFileSync(join(folder, name), await makeExample(name));
  }
  const [before = '', after = ''] = paths;
  const measure = async (path: string) => {
    const { loudness, levels } = (await engine.run('analyze_audio', path, {}, control)).result;
    const { integratedLufs, truePeakDbtp } = loudness;
    return { integratedLufs, truePeakDbtp, noiseFloorDbfs: levels.noiseFloorDbfs };
  };
  const [recorded, level, clean] = [await measure(exampleSource), await measure(before), await measure(after)];
  const found = await engine.run('remove_fillers', after, { dry_run: true }, control);
  const said = await engine.run('transcribe_audio', after, { verbatim: true, speaker_labels: false }, control);
  const written = said.outputs.find(({ format }) => format === 'json')?.path ?? '';
  const transcript = JSON.parse(readFileSync(written, 'utf8')) as unknown;
  const [a, b] = [await peaks(before), await peaks(after)];
  const greatest = Math.max(a.peak, b.peak);
  const example = {
    seconds: Math.round(a.durationSeconds * 1000) / 1000,
    cuts: found.result.cuts.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    measured: { recorded, before: level, after: clean },
    waveforms: { before: outline(a, greatest), after: outline(b, greatest) },
    transcript,
  };
  writeMade('src/site/example.json', JSON.stringify(example), 'node scripts/write-example.ts');
} finally {
  rmSync(folder, { recursive: true });
}
