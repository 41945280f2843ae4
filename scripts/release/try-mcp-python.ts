// `npm run test:mcp-python`: the official Python client over both servers, an episode in three calls each. Makes an
// environment with the client, since Python's own has none; PYTHON names another Python than python3.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../../test/fixtures/service/running-service.ts';

const client = 'mcp==2.3.0';
const place = mkdtempSync(join(tmpdir(), 'earshot-mcp-python-'));
const own = join(place, 'python', process.platform === 'win32' ? 'Scripts' : 'bin', 'python');
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

function run(name: string, env: Readonly<Record<string, string>>): void {
  console.log(name);
  const { status } = spawnSync(own, [script(name)], { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) process.exitCode = 1;
}

try {
  execFileSync(process.env['PYTHON'] ?? 'python3', ['-m', 'venv', join(place, 'python')], { stdio: 'inherit' });
  execFileSync(own, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', client], { stdio: 'inherit' });
  run('mcp-episode.py', {});
  const service = await startService(join(place, 'data'), ['--log-level', 'error']);
  try {
    run('mcp-episode-service.py', {
      EARSHOT_URL: service.address,
      EARSHOT_KEY: service.key ?? '',
      EARSHOT_FOLDER: place,
    });
  } finally {
    await service.stop();
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
