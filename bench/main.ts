// `npm run bench`: whole commands, as `npm run build` made them, beside what people use for the same, in turn: medians
// and ratios of CPU and wall. After `--`: `--quick` takes 10-minute files, `--runs=5` more runs, `--write` keeps what
// was measured in commands/last.json and in docs/figures.md, `--only=analyze,loudness,convert,resample,copies,mix,
// peaks,noise,start,decode,memory` some of the parts; the last two are of processes of their own. With `--quality` it
// is the table of what cleaning does to speech instead: quality/table.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Row, rowsOf } from './commands/rows.ts';
import * as commands from './commands/table.ts';
import {
  compare,
  type Cost,
  costOf,
  machineLine,
  median,
  ours,
  peer,
  runs,
  seconds,
  tableHead,
  wanted,
  withoutLong,
} from './compare.ts';
import { benchFile } from './media.ts';

// It ends the process.
if (process.argv.includes('--quality')) await import('./quality/table.ts');

/** In turns, so that a change of the machine's speed meets both. The first run of ours fills the compile cache. */
function measured({ part, work, peer: peerName, ours: mine, theirs }: Row): commands.Measured {
  const [own, others] = [mine(), theirs()];
  const costs = Array.from({ length: runs }, () => [costOf(own), costOf(others)] as const);
  const of = (value: (pair: readonly [Cost, Cost]) => Cost): Cost => ({
    cpuSeconds: median(costs.map((pair) => value(pair).cpuSeconds)),
    wallSeconds: median(costs.map((pair) => value(pair).wallSeconds)),
  });
  return {
    part,
    work,
    peer: peerName,
    ours: of(([a]) => a),
    theirs: of(([, b]) => b),
    ratio: of(([a, b]) => ({
      cpuSeconds: a.cpuSeconds / Math.max(0.01, b.cpuSeconds),
      wallSeconds: a.wallSeconds / b.wallSeconds,
    })),
    runs,
    date: new Date().toISOString().slice(0, 10),
    load: loadavg()[0] ?? 0,
  };
}

console.log(`${machineLine()}; load ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
const rows = rowsOf(seconds, folder);
const asked = rows.filter(({ part }) => wanted(part));
try {
  if (asked.length > 0) console.log(commands.tableHead);
  const done: commands.Measured[] = [];
  for (const row of asked) {
    const one = measured(row);
    done.push(one);
    console.log(commands.tableRow(one));
    if (process.argv.includes('--write'))
      commands.keep(
        seconds,
        machineLine().replace(/^machine: |; media.*$/g, ''),
        done,
        rows.map(({ work, peer: name }) => `${work} ${name}`),
      );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (wanted('decode')) {
  console.log(`\n${tableHead}`);
  for (const format of ['wav', 'flac', 'mp3', 'm4a', 'opus'] as const) {
    const path = benchFile(format, seconds);
    compare(
      `decode ${format}`,
      'ffmpeg -threads 1 -f null',
      () => ours('decode', path),
      () => peer(['-threads', '1', '-i', path, '-f', 'null', '-']),
    );
  }
}

if (!withoutLong && wanted('memory')) {
  console.log('\n| peak memory, MB | 1 h | 10 h |\n|---|---|---|');
  const short = benchFile('mp3', 3600);
  const long = benchFile('mp3', 36_000);
  for (const [name, work, options] of [
    ['decode mp3', 'decode', {}],
    ['analyze mp3', 'analyze_audio', { detail: 'full' }],
    ['loudness mp3 to flac', 'adjust_loudness', { output_format: 'flac' }],
    ['convert mp3 to wav', 'convert_audio', { format: 'wav' }],
    ['peaks mp3', 'peaks', {}],
  ] as const) {
    console.log(
      `| ${name} | ${ours(work, short, options).peakMb.toFixed(0)} | ${ours(work, long, options).peakMb.toFixed(0)} |`,
    );
  }
}
