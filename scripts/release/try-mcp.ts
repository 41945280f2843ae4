// `npm run test:mcp`: the protocol's own conformance suite, in both versions that are spoken, over a service with /mcp
// as a person starts it. Prints a line for each check; ends with 1 when one fails. The suite is fetched when this runs,
// since it brings 122 packages that nothing else needs.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startService } from '../../test/fixtures/service/running-service.ts';
import { forgetTools, program } from './managers.mjs';

const suite = program('@modelcontextprotocol/conformance@0.2.0-alpha.12', { command: 'conformance' });

/** What a server with tools and prompts of its own can be asked; the others ask for resources or a sample server. */
const scenarios: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection', 'server-session-lifecycle'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
    'sep-2164-resource-not-found',
  ],
};

/** Checks that ask for what this server does not have, and why. */
const notAsked: Readonly<Record<string, string>> = {
  'sep-2575-server-rejects-undeclared-capability': 'a tool of the sample server',
  'sep-2575-missing-capability-http-400': 'a tool of the sample server',
  'sep-2575-http-server-no-independent-requests-on-stream': 'a tool of the sample server',
  'sep-2575-server-no-log-without-loglevel': 'a tool of the sample server',
  'sep-2549-resources-list-caching-hints': 'there are no resources',
  'sep-2549-resources-templates-list-caching-hints': 'there are no resources',
};

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly description: string;
  readonly errorMessage?: string;
}

const place = mkdtempSync(join(tmpdir(), 'earshot-mcp-'));
const run = promisify(execFile);

/** The suite sends no credentials; all else goes through as it came, also a false `Host`. */
async function withKey(address: string, key: string): Promise<Server> {
  const { hostname, port } = new URL(address);
  const door = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` };
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return door;
}

/** Runs one scenario. A failed check makes the suite end with 1, so its files are read in any case. */
async function checksOf(url: string, version: string, scenario: string): Promise<readonly Check[]> {
  const out = join(place, `${version}-${scenario}`);
  const args = ['server', '--url', url, '--spec-version', version, '--scenario', scenario, '-o', out];
  const ended = await run(process.execPath, [suite, ...args], { timeout: 300_000, maxBuffer: 2 ** 26 }).catch(
    (thrown: unknown) => thrown as { stdout: string; stderr: string },
  );
  const [folder] = readdirSync(place).includes(`${version}-${scenario}`) ? readdirSync(out) : [];
  if (folder === undefined) throw new Error(`${scenario} left no checks:\n${ended.stdout}${ended.stderr}`);
  return JSON.parse(readFileSync(join(out, folder, 'checks.json'), 'utf8')) as Check[];
}

const counts = { passed: 0, failed: 0, notAsked: 0 };
function count(check: Check): string {
  const reason = check.status === 'SUCCESS' ? undefined : notAsked[check.id];
  if (reason !== undefined) {
    counts.notAsked += 1;
    return `not asked: ${reason}`;
  }
  if (check.status === 'FAILURE') counts.failed += 1;
  if (check.status === 'SUCCESS') counts.passed += 1;
  return check.status === 'SUCCESS' ? 'ok' : `${check.status.toLowerCase()} ${check.errorMessage ?? ''}`;
}

try {
  const service = await startService(join(place, 'data'), ['--log-level', 'error']);
  try {
    const door = await withKey(service.address, service.key ?? '');
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
    for (const [version, names] of Object.entries(scenarios))
      for (const name of names)
        for (const check of await checksOf(url, version, name))
          console.log(`${version}  ${check.id.padEnd(58)} ${count(check)}`);
    door.closeAllConnections();
    door.close();
  } finally {
    await service.stop();
  }
} finally {
  rmSync(place, { recursive: true, force: true });
  forgetTools();
}
console.log(
  `\n${counts.passed} passed, ${counts.failed} failed, ${counts.notAsked} not asked of a server without resources`,
);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
