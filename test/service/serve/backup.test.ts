// @module-tag slow
// `earshot backup` of a service that works, and `earshot restore` beside it: real processes, two databases.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { mainPath } from '../../fixtures/built/main-path.ts';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';
import { useDatabases } from '../../fixtures/service/database.ts';
import { createClient, startService } from '../../fixtures/service/running-service.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const { emptyDatabase } = useDatabases();
const folder = temporaryFolder('earshot-backup-');
const rate = 48_000;
const tone = (hertz: number, seconds: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    wavBytes(
      [Float32Array.from({ length: seconds * rate }, (_, at) => 0.2 * Math.sin((2 * Math.PI * hertz * at) / rate))],
      rate,
    ),
  );

/** Runs a command; answers what it printed, or its error. */
const earshot = async (...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> =>
  promisify(execFile)(process.execPath, [mainPath, ...args]).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (thrown: { code: number; stderr: string }) => ({ code: thrown.code, text: thrown.stderr }),
  );

it('a service that was backed up at work goes on elsewhere: files whole, each job once, books right', async () => {
  const places = async (name: string): Promise<readonly string[]> => [
    '--data',
    join(folder, name),
    '--database-url',
    await emptyDatabase(),
  ];
  const [old, restored] = [await places('old'), await places('restored')];
  const archive = join(folder, 'earshot.tar');
  const first = await startService(old[1] ?? '', [...old.slice(2), '--job-slots', '1']);
  const key = first.key ?? '';
  const ready = new Map<string, Uint8Array>();
  const jobs: string[] = [];
  try {
    const client = createClient(first.address, key);
    for (const hertz of [220, 330, 440]) {
      const bytes = tone(hertz, 20);
      const { id } = await client.upload(bytes, `tone-${hertz}.wav`);
      ready.set(id, bytes);
      const body = { tool: 'adjust_loudness', file_id: id, output_format: 'wav' };
      for (const target of ['podcast', 'broadcast'])
        jobs.push(
          (
            await client.call<{ id: string }>('POST', '/api/v1/jobs', {
              ...body,
              target,
              idempotency_key: `${hertz}-${target}`,
            })
          ).id,
        );
    }
    await client.finished(jobs[0] ?? '');
    // One has ended, one runs, and some wait; new ones come while the rows are read.
    const backup = earshot('backup', archive, '--json', ...old);
    const [file] = ready.keys();
    const later = Array.from({ length: 20 }, (_, number) =>
      client.call<{ id: string }>('POST', '/api/v1/jobs', {
        tool: 'adjust_loudness',
        file_id: file,
        target: 'streaming',
        idempotency_key: `later-${number}`,
      }),
    );
    const { code, text } = await backup;
    expect(text, text).toContain('"gone":[]');
    expect(code).toBe(0);
    await Promise.all(later);
  } finally {
    await first.stop();
  }

  expect((await earshot('backup', archive, ...old)).text).toContain('is there already');
  // Half of an archive, and one with another byte, restore nothing.
  for (const harm of ['cut', 'changed']) {
    const harmed = join(folder, `${harm}.tar`);
    copyFileSync(archive, harmed);
    const { length } = readFileSync(harmed);
    if (harm === 'cut') truncateSync(harmed, length - 6_000_000);
    else {
      const bytes = readFileSync(harmed);
      bytes[length - 3_000_000]! ^= 1;
      writeFileSync(harmed, bytes);
    }
    const { code, text } = await earshot('restore', harmed, ...restored);
    expect([code, text]).toEqual([1, expect.stringMatching(/cut off|they have changed/)]);
  }
  expect((await earshot('restore', archive, ...restored)).code).toBe(0);
  expect((await earshot('restore', archive, ...restored)).text).toMatch(/Expected a new database but this one has \d+/);

  const second = await startService(restored[1] ?? '', restored.slice(2));
  try {
    const client = createClient(second.address, key);
    for (const id of jobs) expect((await client.finished(id)).status).toBe('succeeded');
    for (const [id, bytes] of ready) {
      const { url } = await client.call<{ url: string }>('GET', `/api/v1/files/${id}/download`);
      expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true);
    }
    const { data } = await client.call<{ data: { jobId: string | null; kind: string }[] }>(
      'GET',
      '/api/v1/ledger?limit=100',
    );
    const charged = data.flatMap(({ jobId, kind }) => (kind === 'charge' ? [jobId] : []));
    expect(jobs.filter((id) => charged.filter((each) => each === id).length !== 1)).toEqual([]);
    // What is new gets numbers and files behind those of the old.
    const file = await client.upload(tone(550, 1), 'new.wav');
    const { id } = await client.call<{ id: string }>('POST', '/api/v1/jobs', {
      tool: 'adjust_loudness',
      file_id: file.id,
      idempotency_key: 'new',
    });
    expect((await client.finished(id)).status).toBe('succeeded');
  } finally {
    await second.stop();
  }
  expect((await earshot('database', 'reconcile', ...restored)).text).toContain(
    'Every object has its record, every record its bytes, and the books are right.',
  );
});

it('a folder without a service is not backed up, nor filled; what is no back-up is called so', async () => {
  const gone = join(folder, 'gone');
  const archive = join(folder, 'none.tar');
  const refused = await earshot('backup', archive, '--data', gone);
  expect(refused.code).toBe(2);
  expect(refused.text).toContain(`there is none at ${gone}. Give --data`);
  writeFileSync(archive, 'no tar at all');
  const restored = await earshot('restore', archive, '--data', gone);
  expect(restored.code).toBe(1);
  expect(restored.text).toContain('is none, or is cut off. Check the name, or take another back-up');
  expect(existsSync(gone)).toBe(false);
});
