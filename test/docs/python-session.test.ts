// @module-tag slow
// The session in Python of docs/rest-api.md against the whole service.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { probe } from '../../src/library/media/read/probe.ts';
import { skipForMissing } from '../fixtures/missing-part.ts';
import { onPath } from '../fixtures/on-path.ts';
import { useServices } from '../fixtures/service/service.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { blocksOf, root } from './pages.ts';

const services = useServices();

it('the session in Python of docs/rest-api.md uploads, runs and downloads', async (context) => {
  if (onPath('python3') === null) skipForMissing(context, 'python3');
  const service = await services.start();
  const { key } = await service.account(500);
  const cwd = temporaryFolder('earshot-python-session-');
  mkdirSync(join(cwd, 'data'));
  cpSync(join(root, 'docs/samples/talk.opus'), join(cwd, 'data/sample.opus'));
  const { code = '' } = blocksOf('docs/rest-api.md').find(({ language }) => language === 'python') ?? {};
  expect(code).toContain('http://127.0.0.1:3000');
  writeFileSync(
    join(cwd, 'session.py'),
    code.replace('http://127.0.0.1:3000', service.base).replace('svc_sk_...', key),
  );
  const { stdout } = await promisify(execFile)('python3', ['session.py'], { cwd });
  expect(stdout).toMatch(/^ready 14\.\d+ s\nsucceeded -16(?:\.0\d)? LUFS\nwrote (\S+\.mp3)\n$/);
  const written = join(cwd, /wrote (\S+)/.exec(stdout)?.[1] ?? '');
  expect(statSync(written).size).toBeGreaterThan(10_000);
  expect((await probe(written)).durationSeconds).toBeCloseTo(14, 1);
});
