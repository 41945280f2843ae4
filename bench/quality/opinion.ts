// Is enhance_voice ever worse than remove_noise? Both tools on the same recordings, judged without a reference
// (scorer.ts).
//   node bench/quality/opinion.ts [--only=room] [--set=voices|held] [--room-seed=11] [--write=folder]
// Two renderings of one sound differ by up to .05: single rows say little, means of twenty do.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enhanceVoice } from '../../src/library/tools/enhance_voice/tool.ts';
import { removeNoise } from '../../src/library/tools/remove_noise/tool.ts';
import { runTool } from '../../test/fixtures/media/run-context.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { opinionCases } from './opinion-cases.ts';
import { openScorer, type Opinion } from './scorer.ts';

const given = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);

const shown = (x: number): string => x.toFixed(2).padStart(5);
const signed = (x: number): string => `${x < 0 ? '-' : '+'}${Math.abs(x).toFixed(3)}`;

interface Row {
  readonly set: string;
  readonly noise: Opinion;
  readonly voice: Opinion;
}

function summary(rows: readonly Row[]): void {
  const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
  for (const set of [...new Set(rows.map((row) => row.set)), 'all']) {
    const own = rows.filter((row) => set === 'all' || row.set === set);
    const gains = own.map(({ noise, voice }) => voice.overall - noise.overall);
    console.log(
      `${set.padEnd(12)} ${String(own.length).padStart(3)} files: remove_noise ` +
        `${shown(mean(own.map(({ noise }) => noise.overall)))}, enhance_voice ${signed(mean(gains))} (worst ` +
        `${signed(Math.min(...gains))}), worse by over .02: ${gains.filter((x) => x < -0.02).length}, by over .05: ` +
        `${gains.filter((x) => x < -0.05).length}, better by over .02: ${gains.filter((x) => x > 0.02).length}`,
    );
  }
}

const score = await openScorer();
if (score === null) console.log('Without the scorer there is nothing to measure');
else {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-opinion-'));
  const keep = given('write');
  if (keep !== undefined && !existsSync(keep)) mkdirSync(keep, { recursive: true });
  try {
    const rows: Row[] = [];
    console.log('OVRL SIG BAK of the recording, of remove_noise, of enhance_voice');
    for (const { set, title, plane, sampleRate, bits } of opinionCases(
      given('set'),
      given('only'),
      Number(given('room-seed') ?? 7),
    )) {
      const name = `${set}-${title}`.replaceAll(/[^\w.-]+/g, '_');
      const path = writeWav(join(keep ?? folder, `${name}.wav`), [plane], sampleRate, bits);
      const [clean, enhanced] = [
        await runTool(removeNoise, path, {}, join(keep ?? folder, `${name}-rn-`)),
        await runTool(enhanceVoice, path, {}, join(keep ?? folder, `${name}-ev-`)),
      ];
      const opinions = [await score(path), await score(clean.path), await score(enhanced.path)] as const;
      const [, noise, voice] = opinions;
      rows.push({ set, noise, voice });
      const all = opinions.map((one) => [one.overall, one.signal, one.background].map(shown).join(' ')).join(' | ');
      console.log(
        `${set.padEnd(9)} ${title.padEnd(34)} ${all}  ` +
          `${signed(voice.overall - noise.overall)}  ` +
          `${JSON.stringify({ ...(enhanced.result['found'] as object), ...(enhanced.result['repaired'] as object) })} ` +
          enhanced.warnings.map(({ code }) => code).join(),
      );
    }
    summary(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
