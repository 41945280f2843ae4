// @module-tag nightly
// The sample for Slurm, run by Slurm: an allocation whose runner takes the jobs of a service, and one whose service is
// away.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { mainPath } from '../fixtures/built/main-path.ts';
import { wavBytes } from '../fixtures/media/pcm-files.ts';
import { tone } from '../fixtures/media/signals.ts';
import { type TestService, useServices } from '../fixtures/service/service.ts';
import { type Slurm, slurmLacks, startSlurm } from '../fixtures/slurm.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../deploy/engines/slurm-runner.sh', import.meta.url));
const services = useServices();
const lacks = slurmLacks();
if (lacks !== null) console.info(`Slurm is not tried: it lacks ${lacks}`);

describe.skipIf(lacks !== null)('slurm-runner.sh', () => {
  let slurm: Slurm;
  let service: TestService;
  beforeAll(async () => {
    slurm = await startSlurm([await freePort(), await freePort()]);
    service = await services.start({ config: { takeJobs: 'false' } });
  });
  afterAll(() => slurm?.stop());

  /** The installed command, for the sample. */
  function earshot(): string {
    const path = join(slurm.folder, 'earshot');
    if (!existsSync(path)) writeFileSync(path, `#!/bin/sh\nexec ${process.execPath} ${mainPath} "$@"\n`);
    chmodSync(path, 0o755);
    return path;
  }

  const submit = async (url: string, token: string): Promise<{ code: number; said: string }> => {
    const words = ['--wait', '--parsable', '--chdir', slurm.folder, script];
    const own = { EARSHOT: earshot(), EARSHOT_URL: url, EARSHOT_RUNNER_TOKEN: token, EARSHOT_IDLE: '1' };
    const code = await run('sbatch', words, { env: { ...slurm.environment, ...own } }).then(
      () => 0,
      ({ code: failed }: { code: number }) => failed,
    );
    const logs = readdirSync(slurm.folder).filter((name) => name.startsWith('earshot-'));
    return { code, said: logs.map((name) => readFileSync(join(slurm.folder, name), 'utf8')).join('\n') };
  };

  it('runs the jobs that wait, and ends', async () => {
    const { token } = await service.operator.addRunner('slurm');
    const client = createClient({ baseUrl: service.base, apiKey: (await service.account(1000)).key });
    const bytes = new Uint8Array(wavBytes([tone(48_000, 48_000, 440)], 48_000));
    const file = await client.upload(bytes, { filename: 'tone.wav' });
    const jobs = [];
    for (const format of ['mp3', 'flac'] as const)
      jobs.push(await client.start('convert_audio', { file_id: file.id, format }));
    const depth = async (): Promise<unknown> =>
      await (await fetch(`${service.base}/api/runner/queue`, { headers: { authorization: `Bearer ${token}` } })).json();
    expect(await depth()).toMatchObject({ queuedJobs: 2, pools: { default: { queuedJobs: 2 } } });
    const { code, said } = await submit(service.base, token);
    expect([code, said]).toEqual([0, expect.stringContaining('The runner has stopped')]);
    for (const { id } of jobs) expect(await client.wait(id)).toMatchObject({ status: 'succeeded' });
    expect(await depth()).toMatchObject({ queuedJobs: 0, oldestSeconds: 0 });
  });

  it('has the exit code of a single job', async () => {
    const path = join(slurm.folder, 'job.json');
    const end = async (input: string): Promise<number> => {
      writeFileSync(path, JSON.stringify({ tool: 'loudness', inputs: [input], output: join(slurm.folder, 'results') }));
      const words = ['--wait', '--chdir', slurm.folder, '--wrap', `${earshot()} exec ${path}`];
      return await run('sbatch', words, { env: slurm.environment }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );
    };
    writeFileSync(join(slurm.folder, 'tone.wav'), wavBytes([tone(48_000, 48_000, 440)], 48_000));
    expect(await end('tone.wav')).toBe(0);
    expect(existsSync(join(slurm.folder, 'results', 'tone.loudness.wav'))).toBe(true);
    expect(await end('none.wav')).toBe(65);
  });

  it('says with 69 that the service refuses it', async () => {
    const { code } = await submit(service.base, 'svc_rt_0123456789abcdefghijABCDEFGHIJ0123456789');
    expect(code).toBe(69);
  });

  it('is started again by Slurm where the service gives no answer', async () => {
    const own = { EARSHOT: earshot(), EARSHOT_URL: `http://127.0.0.1:${await freePort()}`, EARSHOT_IDLE: '1' };
    const env = { ...slurm.environment, ...own, EARSHOT_RUNNER_TOKEN: 'svc_rt_none' };
    const { stdout } = await run('sbatch', ['--parsable', '--chdir', slurm.folder, script], { env });
    const id = stdout.trim();
    await expect
      .poll(async () => (await run('scontrol', ['show', 'job', id], { env: slurm.environment })).stdout, {
        timeout: 60_000,
        interval: 500,
      })
      .toMatch(/Restarts=1/);
    await run('scancel', [id], { env: slurm.environment });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
