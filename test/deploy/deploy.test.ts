// The samples in deploy/, read by parsers of their own kind, and by the programs themselves where those are installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig, settings } from '../../src/service/rules/settings/config.ts';
import { testCertificate, testKey } from '../fixtures/links/certificate.ts';
import { skipHere } from '../fixtures/missing-part.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string): string => readFileSync(join(root, 'deploy', name), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'earshot-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = loadConfig({});
const known = new Set<string>(Object.values(settings).map(({ env }) => env));
const installed = (command: string, ...version: string[]): boolean => spawnSync(command, version).error === undefined;

it.each([
  'Dockerfile',
  'compose.yaml',
  'earshot.service',
  'nginx.conf',
  'Caddyfile',
  'fleet/compose.yaml',
  'kubernetes/settings.yaml',
  'kubernetes/worker.yaml',
  'kubernetes/monitoring.yaml',
])('%s names settings that there are', (name) => {
  const named = [...read(name).matchAll(/\b(?:EARSHOT|DATABASE)_[A-Z_]+\b/g)].map(([each]) => each);
  for (const each of named) expect(known).toContain(each);
  expect(named.length).toBeGreaterThan(1);
});

describe('Dockerfile', () => {
  const text = read('Dockerfile');
  const stages = text.split(/^FROM /m).slice(1);

  it('is one that builders read', () => {
    expect(validate(text)).toEqual([]);
  });

  it('builds apart from what runs, as a user without rights, and looks after itself', () => {
    expect(stages).toHaveLength(2);
    const [build = '', service = ''] = stages;
    expect(build).toMatch(/ AS packages\n/);
    expect(service).not.toMatch(/COPY \. \./);
    expect(service).toMatch(/--mount=type=bind,from=packages/);
    expect(/^USER (\w+)$/m.exec(service)?.[1]).toBe('earshot');
    // Nothing after it goes back.
    expect(service.slice(service.indexOf('\nUSER ')).match(/^USER /gm)).toHaveLength(1);
    expect(service).toMatch(/HEALTHCHECK [\s\S]*\/livez/);
    expect(service).toContain(`EARSHOT_PORT=${config.port}`);
  });

  it('has the Node that the project is tested with, and versions of its optional parts that fit', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    for (const [, version] of text.matchAll(/^FROM node:([\d.]+)-/gm)) expect(version).toBe(devDependencies['node']);
    const extras = /EXTRAS="([^"]+)"/.exec(text)?.[1] ?? '';
    for (const extra of extras.split(' ')) {
      const [, name = '', version] = /^(.+)@(.+)$/.exec(extra) ?? [];
      expect(version, name).toBe(devDependencies[name]);
    }
  });

  it('has a health check that tells the living from the dead', () => {
    const [, command = '[]'] = /CMD (\["node".*\])/.exec(text) ?? [];
    const [, ...args] = JSON.parse(command) as string[];
    const env = { ...process.env, EARSHOT_PORT: '1' };
    expect(spawnSync(process.execPath, args, { env }).status).toBe(1);
    const answers = `require('http').createServer((q, r) => r.end()).listen(0, '127.0.0.1', function () {
      process.env.EARSHOT_PORT = this.address().port; ${args.at(-1)} })`;
    expect(spawnSync(process.execPath, ['-e', answers], { env }).status).toBe(0);
  });
});

describe('compose.yaml', () => {
  interface Service {
    readonly image: string;
    readonly build?: { readonly context: string; readonly dockerfile: string };
    readonly environment: Readonly<Record<string, string>>;
    readonly volumes: readonly string[];
    readonly ports?: readonly string[];
    readonly stop_grace_period?: string;
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  }
  const { services, volumes } = parse(read('compose.yaml')) as {
    readonly services: Readonly<Record<'postgres' | 'earshot', Service>>;
    readonly volumes: object;
  };

  it('builds the Dockerfile, waits for the database, and gives it a grace that is long enough', () => {
    const { build, depends_on, stop_grace_period } = services.earshot;
    expect(existsSync(join(root, 'deploy', build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
    expect(depends_on?.['postgres']?.condition).toBe('service_healthy');
    expect(parseInt(stop_grace_period ?? '0', 10)).toBeGreaterThan(config.graceSeconds + 5);
  });

  it('publishes nothing to the world, and has every volume that it names', () => {
    for (const { ports = [] } of Object.values(services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    const named = Object.values(services).flatMap((service) => service.volumes.map((each) => each.split(':')[0]));
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)));
  });

  it('is one that docker takes', (context) => {
    const { status, stdout } = spawnSync('docker', ['compose', 'version'], { encoding: 'utf8' });
    if (status !== 0 || !stdout) skipHere(context, 'docker compose not installed');
    const env = { ...process.env, POSTGRES_PASSWORD: 'x' };
    execFileSync('docker', ['compose', '-f', join(root, 'deploy/compose.yaml'), 'config', '--quiet'], { env });
  });
});

describe('earshot.service', () => {
  const text = read('earshot.service');

  it('runs a command that there is, and waits for it to end', () => {
    const [, program, command] = /^ExecStart=(\S+) (\S+)$/m.exec(text) ?? [];
    expect(program).toMatch(/\/node_modules\/\.bin\/earshot$/);
    expect(command).toBe('serve');
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(config.graceSeconds + 5);
    expect(text).toMatch(/^User=earshot$/m);
  });

  it('is one that systemd takes', (context) => {
    if (!installed('systemd-analyze', '--version')) skipHere(context, 'systemd not installed');
    const file = join(folder, 'earshot.service');
    // The program is not installed here.
    writeFileSync(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    // A machine without a running systemd may have nothing to verify with.
    if (/Failed to (?:connect|initialize|set up)/i.test(stderr)) skipHere(context, `systemd says: ${stderr.trim()}`);
    expect([stderr, status]).toEqual(['', 0]);
  });
});

/** Bodies that a proxy must let pass: one PUT, or a form of the free API with files as large and its text. */
const leastBody = config.singlePutBytes + 9 * 1024 * 1024;

describe('nginx.conf', () => {
  const text = read('nginx.conf');

  it('lets bodies pass that the service takes, unbuffered, and waits longer than the service', () => {
    expect(Number(/client_max_body_size (\d+)m;/.exec(text)?.[1]) * 1024 ** 2).toBeGreaterThanOrEqual(leastBody);
    expect(text).toMatch(/proxy_request_buffering off;/);
    expect(Number(/proxy_read_timeout (\d+)s;/.exec(text)?.[1])).toBeGreaterThan(120);
    expect(text).toMatch(/location = \/metrics/);
  });

  it('is one that nginx takes', (context) => {
    if (!installed('nginx', '-v')) skipHere(context, 'nginx not installed');
    const own = join(folder, 'nginx');
    mkdirSync(own);
    writeFileSync(join(own, 'fullchain.pem'), testCertificate);
    writeFileSync(join(own, 'privkey.pem'), testKey);
    writeFileSync(join(own, 'site.conf'), text.replaceAll('/etc/ssl/earshot', own));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${own}/${name};`,
    );
    writeFileSync(
      join(own, 'nginx.conf'),
      `pid ${own}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')} include ` +
        `${own}/site.conf; }`,
    );
    const { status, stderr } = spawnSync('nginx', ['-t', '-p', own, '-c', join(own, 'nginx.conf')], {
      encoding: 'utf8',
    });
    expect(`${status} ${stderr}`).toMatch(/^0 /);
  });
});

describe('Caddyfile', () => {
  const text = read('Caddyfile');

  it('lets bodies pass that the service takes', () => {
    expect(Number(/max_size (\d+)MB/.exec(text)?.[1]) * 1e6).toBeGreaterThanOrEqual(leastBody);
    expect(text.match(/\{/g)?.length).toBe(text.match(/\}/g)?.length);
  });

  it('is one that Caddy takes', (context) => {
    if (!installed('caddy', 'version')) skipHere(context, 'caddy not installed');
    const args = ['adapt', '--config', join(root, 'deploy/Caddyfile'), '--adapter', 'caddyfile'];
    const { status, stderr } = spawnSync('caddy', args, { encoding: 'utf8', env: { ...process.env, HOME: folder } });
    expect(`${status} ${stderr}`).toMatch(/^0 /);
  });
});

describe('fleet/compose.yaml', () => {
  interface Part {
    readonly command?: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly deploy?: { readonly replicas: number };
    readonly stop_grace_period?: string;
    readonly ports?: readonly string[];
    readonly read_only?: boolean;
  }
  const { services } = parse(read('fleet/compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<'api' | 'worker' | 'balancer' | 'postgres' | 'objects', Part>>;
  };

  it('has two APIs, three workers, a database, a store, and one way in', () => {
    const { api, worker } = services;
    expect([api.deploy?.replicas, worker.deploy?.replicas]).toEqual([2, 3]);
    expect([api.command, worker.command]).toEqual([
      ['serve', '--role', 'api'],
      ['serve', '--role', 'worker'],
    ]);
    const open = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0);
    expect(open.map(([name]) => name)).toEqual(['balancer']);
    for (const port of services.balancer.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const part of [api, worker]) {
      const settings = Object.fromEntries(
        Object.entries(part.environment).filter(([, value]) => !value.includes('${')),
      );
      const { s3Bucket, graceSeconds, trustProxy } = loadConfig(settings);
      expect([s3Bucket, trustProxy, part.read_only]).toEqual(['earshot', true, true]);
      expect(parseInt(part.stop_grace_period ?? '0', 10)).toBeGreaterThan(graceSeconds + 5);
    }
    const balancer = read('fleet/Caddyfile');
    expect(Number(/max_size (\d+)MB/.exec(balancer)?.[1]) * 1e6).toBeGreaterThanOrEqual(leastBody);
  });

  it('is one that docker takes', (context) => {
    const { status, stdout } = spawnSync('docker', ['compose', 'version'], { encoding: 'utf8' });
    if (status !== 0 || !stdout) skipHere(context, 'docker compose not installed');
    const env = { ...process.env, POSTGRES_PASSWORD: 'x', S3_SECRET: 'x' };
    execFileSync('docker', ['compose', '-f', join(root, 'deploy/fleet/compose.yaml'), 'config', '--quiet'], { env });
  });
});
