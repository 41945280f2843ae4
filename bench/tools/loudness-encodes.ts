// adjust_loudness into formats with losses: how often a recording is encoded, in whole or in a few places, how near the
// result comes, what its peaks do, and its CPU beside convert_audio to the same format (which is one encode, and reads
// nothing back).
//
//   node bench/tools/loudness-encodes.ts FOLDER [--formats=mp3,m4a] [--targets=-16,-14,-10]
//
// FOLDER holds recordings of yours. The times are of one process on one thread.
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AdjustLoudnessResult } from '../../src/library/tools/adjust_loudness/result.ts';
import { adjustLoudness } from '../../src/library/tools/adjust_loudness/tool.ts';
import { convertAudio } from '../../src/library/tools/convert_audio/tool.ts';
import { runTool } from '../../test/fixtures/media/run-context.ts';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    formats: { type: 'string', default: 'mp3,m4a' },
    targets: { type: 'string', default: '-16,-14,-10' },
    each: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Expected a folder of recordings');

const cpuSeconds = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
};

interface Row {
  readonly encodes: number;
  readonly miss: number;
  readonly over: number;
  readonly cpu: number;
  readonly convert: number;
}
const rows: Row[] = [];
const mean = (all: readonly number[]): number => all.reduce((sum, x) => sum + x, 0) / all.length;
const line = (name: string, all: readonly Row[]): string =>
  [
    name.padEnd(28),
    String(all.length).padStart(5),
    mean(all.map(({ encodes }) => encodes))
      .toFixed(2)
      .padStart(9),
    String(all.filter(({ miss }) => miss > 0.1).length).padStart(9),
    String(all.filter(({ over }) => over > 0.05).length).padStart(9),
    Math.max(...all.map(({ over }) => over))
      .toFixed(2)
      .padStart(9),
    (all.reduce((sum, { cpu }) => sum + cpu, 0) / all.reduce((sum, { convert }) => sum + convert, 0))
      .toFixed(2)
      .padStart(9),
  ].join(' ');

console.log('of                            runs   encodes  off > .1  over > .05  worst over  CPU of convert');
for (const format of values.formats.split(',')) {
  for (const target of values.targets.split(',').map(Number)) {
    const own: Row[] = [];
    for (const name of readdirSync(folder)) {
      const prefix = `${temporaryFolder('earshot-encodes-')}/`;
      const from = process.cpuUsage();
      await runTool(convertAudio, join(folder, name), { format }, prefix);
      const convert = cpuSeconds(from);
      const start = process.cpuUsage();
      const done = await runTool(
        adjustLoudness,
        join(folder, name),
        { target: 'custom', custom_lufs: target, output_format: format },
        prefix,
      );
      const cpu = cpuSeconds(start);
      const { output } = done.result as unknown as AdjustLoudnessResult;
      const encodes = readdirSync(dirname(done.path)).filter(
        (file) => file.startsWith('output-') && !file.endsWith('.packets'),
      ).length;
      const row = {
        encodes,
        miss: Math.abs((output.integratedLufs ?? -70) - target),
        over: (output.truePeakDbtp ?? -70) + 1,
        cpu,
        convert,
      };
      own.push(row);
      if (values.each) console.log(line(`  ${basename(name).slice(0, 22)}`, [row]), row.miss.toFixed(2).padStart(6));
      rmSync(dirname(done.path), { recursive: true });
    }
    rows.push(...own);
    console.log(line(`${format} at ${target}`, own));
  }
}
console.log(line('all', rows));
