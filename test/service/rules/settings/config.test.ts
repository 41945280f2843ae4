import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import {
  loadConfig,
  parseConfig,
  readSettings,
  settings,
  type SettingName,
} from '../../../../src/service/rules/settings/config.ts';

const refusal = (env: Readonly<Record<string, string | undefined>>): EarshotError => {
  try {
    loadConfig(env);
  } catch (thrown) {
    return EarshotError.from(thrown);
  }
  throw new Error(`accepted ${JSON.stringify(env)}`);
};

it('names a data folder without symbolic links, also one that does not exist yet', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'earshot-data-')));
  try {
    mkdirSync(join(base, 'real'));
    symlinkSync(join(base, 'real'), join(base, 'link'));
    const dataOf = (...parts: string[]): string => loadConfig({ EARSHOT_DATA: join(base, ...parts) }).data;
    expect(dataOf('link')).toBe(join(base, 'real'));
    expect(dataOf('link', 'new', 'folder')).toBe(join(base, 'real', 'new', 'folder'));
  } finally {
    rmSync(base, { recursive: true });
  }
});

describe('the settings', () => {
  it('start from nothing with a default each', () => {
    const config = loadConfig({});
    expect(config.data).toBe(resolve('./data'));
    expect(config.modelsDir).toBeNull();
    expect(loadConfig({ EARSHOT_MODELS: 'weights' }).modelsDir).toBe(resolve('weights'));
    expect(config).toMatchObject({
      role: 'all',
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: null,
      maxSeconds: 36_000,
      maxFileBytes: 5 * 1024 ** 3,
      retentionSeconds: 86_400,
      downloadSeconds: 900,
      rateLimitAccount: 600,
      rateLimitAddress: 120,
      freeVariant: 'a',
      freeEnabled: true,
      prices: {},
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('take a flag before the environment, and the environment before the default', () => {
    const read = readSettings({ EARSHOT_PORT: '4000', EARSHOT_HOST: '0.0.0.0' }, { port: '5000' });
    const by = (name: SettingName) => read.find((each) => each.name === name);
    expect(by('port')).toEqual({ name: 'port', value: '5000', source: 'flag' });
    expect(by('host')).toEqual({ name: 'host', value: '0.0.0.0', source: 'environment' });
    expect(by('role')).toEqual({ name: 'role', value: 'all', source: 'default' });
    expect(parseConfig(read)).toMatchObject({ port: 5000, host: '0.0.0.0' });
  });

  it('have names of their own', () => {
    const all = Object.values(settings);
    for (const key of ['env', 'flag'] as const) expect(new Set(all.map((each) => each[key])).size).toBe(all.length);
  });

  it.each([
    [{ EARSHOT_PORT: '70000' }, 'Expected integer between 0 and 65535 for EARSHOT_PORT (--port) but received 70000'],
    [{ EARSHOT_PORT: '80.5' }, 'Expected integer between 0 and 65535'],
    [{ EARSHOT_JOB_SLOTS: '0' }, 'Expected integer between 1 and 256'],
    [{ EARSHOT_ROLE: 'boss' }, 'Expected one of all, api, worker for EARSHOT_ROLE (--role)'],
    [{ EARSHOT_FREE: 'maybe' }, 'Expected true or false for EARSHOT_FREE (--free)'],
    [{ EARSHOT_BASE_URL: 'ftp://x' }, 'Expected http or https address for EARSHOT_BASE_URL'],
    [{ EARSHOT_PRICES: '[1]' }, 'Expected JSON object of whole credits per minute by tool for EARSHOT_PRICES'],
    [{ EARSHOT_PRICES: '{"remove_nois": 1}' }, 'Unknown tool remove_nois in EARSHOT_PRICES (--prices)'],
    [
      { EARSHOT_PRICES: '{"remove_noise": 1.5}' },
      'Expected integer between 0 and 1000000 for remove_noise in EARSHOT_PRICES',
    ],
  ])('refuse %j by name', (env, message) => {
    const error = refusal(env);
    expect(error.code).toBe('bad_request');
    expect(error.message).toContain(message);
  });

  it('accept prices by tool', () => {
    expect(loadConfig({ EARSHOT_PRICES: '{"remove_noise": 3, "analyze_audio": 0}' }).prices).toEqual({
      remove_noise: 3,
      analyze_audio: 0,
    });
  });
});
