// Mutated copies of small real files through probe, decode and analyze, in child processes: nothing may crash, hang or
// grow.
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { errorCatalogue } from '../../src/core/errors.ts';
import { outputFormatIds } from '../../src/media/formats.ts';
import { hasFfmpeg, ffmpeg, readAll, scratch, writeAll } from '../fixtures/media/media.ts';
import { recording } from '../fixtures/recordings.ts';
import { amrBytes, writeWav } from '../fixtures/media/pcm-files.ts';
import { seeded } from '../fixtures/media/signals.ts';
import { makeAvi, makeVideo } from '../fixtures/media/videos.ts';
import type { FuzzReport } from './fuzz-worker.ts';

const at = scratch();
const worker = fileURLToPath(new URL('fuzz-worker.ts', import.meta.url));
const mutations = 500;
const perChild = 50;
const fileLimitMs = 10_000;
const seed = Number(process.env['FUZZ_SEED'] ?? 20_240_611);

/** One small file of every kind that can be read here. */
async function originals(): Promise<string[]> {
  const rate = 22_050;
  const sound = readAll(recording('jfk.wav'), { from: 1, to: 2.2, channels: 2, rate }).planes;
  const hz = rate;
  const files: string[] = outputFormatIds.map(
    (format) => writeAll(at(`own.${format}`), sound, hz, { format, tags: { title: 'fuzz', artist: 'x' } }).path,
  );
  files.push(writeWav(at('float.wav'), sound, hz, 'f64'));
  writeFileSync(at('own.amr'), amrBytes(60, seeded(1)));
  files.push(at('own.amr'), await makeAvi(at('own.avi'), sound, hz));
  if (!hasFfmpeg) {
    console.log('fuzz without mp4, mov, mkv, webm, ts, mpg, flv, wmv, caf, ac3, wv, au: ffmpeg is not installed');
    return files;
  }
  for (const extension of ['mp4', 'mov', 'mkv', 'webm', 'ts', 'mpg', 'flv', 'wmv'])
    files.push(makeVideo(at(`film.${extension}`), sound, hz, extension === 'mpg' ? { output: ['-ar', '44100'] } : {}));
  for (const extension of ['caf', 'ac3', 'wv', 'au', 'w64', 'mka']) {
    ffmpeg('-i', at('own.wav'), at(`other.${extension}`));
    files.push(at(`other.${extension}`));
  }
  return files;
}

function mutate(original: Buffer, other: Buffer, random: () => number): Buffer {
  const below = (n: number): number => Math.floor(random() * n);
  let bytes = Buffer.from(original);
  const rounds = 1 + below(3);
  for (let round = 0; round < rounds; round += 1) {
    // Half of all damage goes where the headers are.
    const place = (): number => (random() < 0.5 ? below(Math.min(bytes.length, 600)) : below(bytes.length));
    switch (below(7)) {
      case 0:
        for (let n = 1 + below(20); n > 0; n -= 1) {
          const i = place();
          bytes[i] = (bytes[i] ?? 0) ^ (1 << below(8));
        }
        break;
      case 1:
        bytes = bytes.subarray(0, Math.max(1, below(bytes.length)));
        break;
      case 2: {
        const cut = below(Math.min(2000, other.length));
        bytes = Buffer.concat([other.subarray(0, cut), bytes.subarray(Math.min(bytes.length - 1, cut))]);
        break;
      }
      case 3:
        bytes.fill(random() < 0.5 ? 0 : 255, place(), Math.min(bytes.length, place() + below(2000)));
        break;
      case 4: {
        const from = place();
        const piece = bytes.subarray(from, from + below(8000));
        const to = place();
        bytes = Buffer.concat([bytes.subarray(0, to), piece, bytes.subarray(to)]);
        break;
      }
      case 5: {
        const from = place();
        bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + below(500))]);
        break;
      }
      default: {
        // Sizes and counts: a 32-bit number becomes an extreme one.
        const from = Math.min(bytes.length - 4, place());
        if (from >= 0)
          bytes.writeUInt32BE([0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, below(2 ** 32)][below(6)] as number, from);
      }
    }
    if (bytes.length === 0) bytes = Buffer.from([0]);
  }
  return bytes;
}

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
  const files = await originals();
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
