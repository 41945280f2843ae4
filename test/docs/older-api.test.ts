// The page's session runs as it stands, and it names settings that there are.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { settings } from '../../src/service/rules/settings/config.ts';
import { useServices } from '../fixtures/service/service.ts';
import { tone } from '../service/http/try/support.ts';
import { slow } from '../fixtures/rounds.ts';

const services = useServices();
const page = readFileSync(new URL('../../docs/older-api.md', import.meta.url), 'utf8');
const session = /```sh\n([^]*?)```/.exec(page)?.[1] ?? '';

it('runs the session', slow, async () => {
  const service = await services.start();
  const { key, account } = await service.account(10);
  const folder = await mkdtemp(join(tmpdir(), 'earshot-older-'));
  try {
    await writeFile(join(folder, 'talk.wav'), Buffer.from(await tone(3).arrayBuffer()));
    const script = session.replace('http://127.0.0.1:3001/v1', service.legacyBase);
    expect(script).toContain(service.legacyBase);
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
      cwd: folder,
      env: { ...process.env, API_KEY: key },
    });
    expect(JSON.parse(stdout.trim())).toEqual({
      state: 'succeeded',
      downloadPath: expect.stringMatching(/^\/download\/[\w.-]{60,}\.mp3$/),
    });
    const clean = await readFile(join(folder, 'clean.mp3'));
    expect(clean.length).toBeGreaterThan(1000);
    // ID3, or the first frame.
    expect(['ID3', '\xff\xfb'].some((start) => clean.toString('latin1').startsWith(start))).toBe(true);
    expect((await service.stores.accounts.get(account.id))?.balance).toBe(9);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('names settings that there are', () => {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env));
  const named = [...page.matchAll(/EARSHOT_[A-Z_]+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
