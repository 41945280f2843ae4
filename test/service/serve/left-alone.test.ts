// A part of the service whose launcher was killed, and with it whoever read the log: it ends, and costs nothing until
// then.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { loadConfig } from '../../../src/service/rules/settings/config.ts';
import { startService } from '../../fixtures/service/running-service.ts';
import { moduleUrl } from '../../../src/library/core/running-files.ts';
import { slow } from '../../fixtures/rounds.ts';

const data = mkdtempSync(join(tmpdir(), 'earshot-left-alone-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));
const source = (path: string): string => new URL(`../../../src/${path}`, import.meta.url).href;

it('a log that no one reads any more ends nothing', async () => {
  const script = `
    import { createLog } from ${JSON.stringify(source('service/serve/log.ts'))};
    const log = createLog('info', 'worker');
    createLog('info', 'worker');
    process.on('uncaughtException', () => process.exit(3));
    process.stdin.once('data', () => {
      log.info({}, 'first');
      log.info({}, 'second');
      setTimeout(() => process.stdout.end(String(process.stderr.listenerCount('error'))), 50);
    }).once('end', () => {});
    process.stdout.write('ready');`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'pipe' });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  await once(child.stdout, 'data');
  child.stderr.destroy();
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdin.end('go');
  expect([(await ended)[0], said]).toEqual([0, '1']);
});

it.each(['api', 'worker'])('the %s ends with its launcher while its database does not answer', slow, async (part) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const reached = once(silent, 'connection');
  const { port } = silent.address() as AddressInfo;
  const child = spawn(process.execPath, [fileURLToPath(moduleUrl('service/serve/service-process')), part], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ended = once(child, 'exit');
  child.stderr?.destroy();
  child.send({ type: 'start', config: loadConfig({}, { data }), databaseUrl: `postgres://x:y@127.0.0.1:${port}/z` });
  await reached;
  child.disconnect();
  await ended;
  silent.close();
});

it('a closed standard output (`earshot serve | head`) neither stops the service nor its clean end', slow, async () => {
  const folder = join(data, 'piped');
  const service = await startService(folder, ['--role', 'api']);
  service.launcher.stdout?.destroy();
  expect((await fetch(`${service.address}/readyz`)).status).toBe(200);
  expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(true);
  expect(await service.stop()).toBe(0);
  expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
});
