// @module-tag slow
// Mutated copies of small real files through probe, decode and analyze, in child processes: nothing may crash, hang or
// grow.
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { errorCatalogue } from '../../../src/library/core/errors/errors.ts';
import { scratch } from '../../fixtures/media/media.ts';
import { seeded } from '../../fixtures/random.ts';
import { rounds } from '../../fixtures/rounds.ts';
import { makeOriginals } from '../../fuzz/originals.ts';
import { mutate } from '../../fuzz/mutate.ts';
import type { FuzzReport } from './fuzz-worker.ts';

const at = scratch();
const worker = fileURLToPath(new URL('fuzz-worker.ts', import.meta.url));
/** Each kind of file six times, or twenty times. */
const mutations = rounds(100, 500);
const perChild = 50;
const fileLimitMs = 200_000;
const seed = Number(process.env['FUZZ_SEED'] ?? 20_240_611);

interface ChildResult {
  readonly reports: FuzzReport[];
  readonly failure: string | null;
}

/** Reads a batch in one child; a crash or a hang is named with the file it happened on. */
function readBatch(paths: readonly string[]): Promise<ChildResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [worker, ...paths], { stdio: ['ignore', 'pipe', 'pipe'] });
    const reports: FuzzReport[] = [];
    let [text, errors, hung, current] = ['', '', false, ''];
    let timer: NodeJS.Timeout | undefined;
    const rearm = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        hung = true;
        child.kill('SIGKILL');
      }, fileLimitMs);
    };
    rearm();
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const report = JSON.parse(line) as FuzzReport;
        rearm();
        current = report.path;
        if (report.outcome !== undefined) reports.push(report);
      }
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const how = hung
        ? `hung for ${fileLimitMs} ms`
        : signal
          ? `died of ${signal}`
          : code === 0
            ? null
            : `ended with ${code}: ${errors.slice(-500)}`;
      resolve({ reports, failure: how && `${current} ${how}` });
    });
  });
}

it(`${mutations} damaged files: no crash, no hang, no unnamed error`, async () => {
  const files = await makeOriginals(at('.'));
  // Clean copies must be read without complaint, or the damage would prove nothing.
  const clean = await readBatch(files);
  expect(clean.failure).toBeNull();
  expect(
    clean.reports.filter((one) => one.outcome !== 'ok').map((one) => [one.path, one.outcome, one.message]),
  ).toEqual([]);

  const random = seeded(seed);
  const contents = files.map((path) => readFileSync(path));
  const paths = Array.from({ length: mutations }, (_, n) => {
    const which = n % files.length;
    const extension = (files[which] as string).split('.').at(-1);
    const path = at(`damaged-${n}.${extension}`);
    writeFileSync(
      path,
      mutate(contents[which] as Buffer, contents[Math.floor(random() * files.length)] as Buffer, random),
    );
    return path;
  });
  const batches: string[][] = [];
  for (let from = 0; from < mutations; from += perChild) batches.push(paths.slice(from, from + perChild));
  const reports: FuzzReport[] = [];
  const failures: string[] = [];
  await Promise.all(
    [0, 1].map(async () => {
      for (let batch = batches.shift(); batch; batch = batches.shift()) {
        const done = await readBatch(batch);
        reports.push(...done.reports);
        if (done.failure) {
          failures.push(done.failure);
          // Go on behind the file that did it.
          const rest = batch.slice(done.reports.length + 1);
          if (rest.length > 0) batches.push(rest);
        }
      }
    }),
  );

  const tally = new Map<string, number>();
  for (const { outcome = '' } of reports) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  const most = Math.max(...reports.map((one) => one.residentMb ?? 0));
  console.log(
    `fuzz seed ${seed}, ${files.length} kinds, ${reports.length} read: ${[...tally]
      .toSorted((a, b) => b[1] - a[1])
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}; at most ${most.toFixed(0)} MB`,
  );
  expect(failures).toEqual([]);
  expect(reports).toHaveLength(mutations);
  const expected = new Set([
    ...Object.keys(errorCatalogue).filter((code) => code !== 'internal_error'),
    'ok',
    'ok with warnings',
  ]);
  const offenders = reports
    .filter((one) => !expected.has(one.outcome ?? ''))
    .map((one) => ({ file: one.path, bytes: statSync(one.path).size, outcome: one.outcome, message: one.message }));
  expect(offenders).toEqual([]);
  expect(most).toBeLessThan(600);
});
