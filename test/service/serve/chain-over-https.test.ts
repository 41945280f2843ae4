// @module-tag slow
// A chain whose steps are run elsewhere: runners in processes of their own reach the service over https alone.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { basename, join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { Chain } from '../../../src/library/runtime/chains/chain.ts';
import { runChain } from '../../../src/library/runtime/chains/run-chain.ts';
import { createEngine } from '../../../src/library/runtime/engine/engine.ts';
import { mainPath } from '../../fixtures/built/main-path.ts';
import { loopbackCertificate, loopbackKey } from '../../fixtures/links/certificate.ts';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';
import { tone } from '../../fixtures/media/signals.ts';
import { useServices } from '../../fixtures/service/service.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const services = useServices();
const folder = temporaryFolder('earshot-https-chain-');
const authority = join(folder, 'authority.pem');
writeFileSync(authority, loopbackCertificate);

let port = 0;
/** Ends TLS before the service, as a proxy does. */
const door = createServer({ key: loopbackKey, cert: loopbackCertificate }, (secure) => {
  const plain = connect(port, '127.0.0.1');
  // Either end may go at any time: what was lost is the other's to notice.
  for (const [from, to] of [
    [secure, plain],
    [plain, secure],
  ] as const)
    from
      .on('error', () => to.destroy())
      .on('close', () => to.destroy())
      .pipe(to);
});
const runners: ChildProcess[] = [];
afterAll(() => {
  for (const runner of runners) runner.kill('SIGKILL');
  door.close();
});

/** Runs so many jobs. Answers its exit code and what it said. */
async function runJobs(url: string, token: string, count: number): Promise<[number | null, string]> {
  const data = temporaryFolder('earshot-https-runner-');
  const words = ['runner', '--url', url, '--data', data, '--job-slots', '1', '--max-jobs', String(count)];
  const child = spawn(process.execPath, [mainPath, ...words], {
    env: { ...process.env, EARSHOT_RUNNER_TOKEN: token, NODE_EXTRA_CA_CERTS: authority },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  runners.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, said];
}

/** It says that it asks for jobs, and no error. */
const unharmed = expect.stringMatching(/^(?!.*"level":"error").*"The runner asks for jobs"/s) as string;

const chain: Chain = { name: 'both', steps: [{ tool: 'loudness', options: { target: 'podcast' } }, { tool: 'mix' }] };
const tracks = [300, 500].map((hertz, at) => ({
  path: join(folder, `track-${at + 1}.wav`),
  bytes: new Uint8Array(wavBytes([tone((at + 2) * 48_000, 48_000, hertz, -20)], 48_000)),
}));

it('a chain is begun by one runner and ended by another, with the bytes of runChain and one charge', async () => {
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const url = `https://127.0.0.1:${(door.address() as AddressInfo).port}`;
  // Its own worker checks files and takes no jobs; every link that it gives out begins with the address.
  const service = await services.start({ config: { takeJobs: 'false', baseUrl: url } });
  port = Number(new URL(service.base).port);
  const { operator, stores } = service;
  const [first, second] = [await operator.addRunner('first'), await operator.addRunner('second')];
  const { account, key } = await service.account(1000);
  const client = createClient({ baseUrl: service.base, apiKey: key, fetch: throughTheDoor(url, service.base) });
  const ids: string[] = [];
  for (const { path, bytes } of tracks) ids.push((await client.upload(bytes, { filename: basename(path) })).id);
  const begun = await client.startChain({ chain, file_ids: ids, format: 'wav' });
  const ask = async (text: string, ...values: string[]): Promise<unknown> =>
    (await stores.database.query(text, values)).rows;
  const stateOf = (): Promise<unknown> =>
    ask('select chain_step as step, status, attempt from jobs where chain_id = $1 order by 1, 2', begun.id);
  const succeeded = { status: 'succeeded', attempt: 1 };

  expect(await runJobs(url, first.token, 1)).toEqual([0, unharmed]);
  // A worker of the service checks what the runner sent.
  await expect.poll(stateOf).toEqual([
    { step: 0, status: 'queued', attempt: expect.any(Number) as number },
    { step: 0, ...succeeded },
  ]);
  expect(await runJobs(url, second.token, 2)).toEqual([0, unharmed]);
  const done = await client.waitForChain(begun.id);
  expect(done).toMatchObject({ status: 'succeeded', charged: 3, outputs: [{ filename: 'track-1.both.wav' }] });
  expect(await stateOf()).toEqual([
    { step: 0, ...succeeded },
    { step: 0, ...succeeded },
    { step: 1, ...succeeded },
  ]);
  expect(await ask('select name, accepted, refused from runners order by name')).toEqual([
    { name: 'first', accepted: 1, refused: 0 },
    { name: 'second', accepted: 2, refused: 0 },
  ]);
  expect(await ask('select kind, credits::int from ledger where job_id = $1 order by created_at', begun.id)).toEqual([
    { kind: 'reserve', credits: 0 },
    { kind: 'charge', credits: -3 },
  ]);
  expect(await ask('select balance::int, reserved::int from accounts where id = $1', account.id)).toEqual([
    { balance: 997, reserved: 0 },
  ]);

  for (const { path, bytes } of tracks) writeFileSync(path, bytes);
  await using engine = createEngine({ tempDir: folder, concurrency: 1 });
  const paths = tracks.map(({ path }) => path);
  const here = await runChain(engine, chain, paths, { output: join(folder, 'here.wav') });
  const bytes = await (await client.download(done.outputs[0]?.id ?? '')).bytes();
  expect(Buffer.from(bytes).equals(readFileSync(here.outputs[0]?.path ?? ''))).toBe(true);
});

/** This process trusts no such certificate: its links go to the service without TLS. */
const throughTheDoor =
  (url: string, base: string): typeof fetch =>
  (input, init) =>
    fetch(input instanceof Request ? input : String(input).replace(url, base), init);
