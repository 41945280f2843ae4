// The manifests of deploy/kubernetes, held against the schemas of what reads them, and what they say run for real.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/service/rules/settings/config.ts';
import { useDatabases } from '../fixtures/service/database.ts';
import { newAccount, newJob, paid } from '../fixtures/service/rows.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string): string => readFileSync(join(root, 'deploy', name), 'utf8');

const databases = useDatabases();

describe('kubernetes', () => {
  const cost = 'controller.kubernetes.io/pod-deletion-cost';
  interface Scaled {
    readonly scaleTargetRef: { readonly name: string };
    readonly triggers: readonly {
      readonly metadata: { readonly query: string; readonly targetQueryValue: string };
    }[];
  }
  interface Manifest {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly spec?: unknown;
  }
  interface Pod {
    readonly terminationGracePeriodSeconds: number;
    readonly topologySpreadConstraints: readonly { readonly topologyKey: string }[];
    readonly containers: readonly {
      readonly image: string;
      readonly args: readonly string[];
      readonly env?: readonly { readonly name: string; readonly value: string }[];
      readonly envFrom: readonly { readonly secretRef?: { readonly name: string } }[];
      readonly livenessProbe: { readonly exec?: { readonly command: readonly string[] } };
      readonly lifecycle?: { readonly preStop: object };
      readonly securityContext: object;
    }[];
  }
  const manifests = ['settings', 'migrate', 'api', 'worker', 'deletion-cost', 'monitoring'].flatMap((name) =>
    parseAllDocuments(read(`kubernetes/${name}.yaml`), { merge: true }).map((each) => each.toJS() as Manifest),
  );
  const named = (wanted: string, name: string): Manifest => {
    const found = manifests.find(({ kind, metadata }) => kind === wanted && metadata.name === name);
    if (found === undefined) throw new Error(`There is no ${wanted} ${name}`);
    return found;
  };
  const podOf = (name: string, kind = 'Deployment'): Pod => {
    const found = named(kind, name);
    return (found.spec as { readonly template: { readonly spec: Pod } }).template.spec;
  };
  const schemas: Readonly<Record<string, string>> = {
    'keda.sh': '@kubernetes-models/keda',
    'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  };
  /** @throws the differences from the schema */
  const validateAs = async (manifest: Manifest): Promise<void> => {
    const { apiVersion, kind } = manifest;
    const [group = ''] = apiVersion.split('/');
    const from = schemas[group] ?? 'kubernetes-models';
    const models = (await import(`${from}/${apiVersion}/${kind}`)) as Record<
      string,
      new (given: Manifest) => { validate(): void }
    >;
    const Model = models[kind];
    if (Model === undefined) throw new Error(`There is no schema of ${apiVersion} ${kind}`);
    new Model(manifest).validate();
  };

  it.each(manifests.map((each) => [`${each.kind} ${each.metadata.name}`, each] as const))(
    '%s is as its schema says',
    async (_, manifest) => {
      await validateAs(manifest);
      await expect(validateAs({ ...manifest, metadata: 1 } as unknown as Manifest)).rejects.toThrow();
    },
  );

  it('has rights for nothing, and what Landlock needs', () => {
    const pods = [podOf('earshot-api'), podOf('earshot-worker'), podOf('earshot-migrate', 'Job')];
    for (const pod of pods)
      expect(pod.containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        runAsUser: 10001,
        runAsGroup: 10001,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      });
  });

  it('gives workers longer to stop than their grace, and scales what is there', () => {
    const { containers, terminationGracePeriodSeconds } = podOf('earshot-worker');
    const env = Object.fromEntries((containers[0]?.env ?? []).map(({ name, value }) => [name, value]));
    expect(terminationGracePeriodSeconds).toBeGreaterThan(loadConfig(env).graceSeconds + 5);
    expect((named('ScaledObject', 'earshot-worker').spec as Scaled).scaleTargetRef.name).toBe('earshot-worker');
  });

  it('gives the owner’s address to the job that migrates, and to no pod that stays', () => {
    const secretsOf = (pod: Pod) => pod.containers[0]?.envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []);
    expect(secretsOf(podOf('earshot-api'))).toEqual(['earshot']);
    expect(secretsOf(podOf('earshot-worker'))).toEqual(['earshot']);
    const migrate = podOf('earshot-migrate', 'Job');
    expect(secretsOf(migrate)).toEqual(['earshot', 'earshot-owner']);
    expect(migrate.containers[0]?.args).toEqual(['database', 'migrate']);
    for (const name of ['api', 'worker', 'deletion-cost']) expect(read(`kubernetes/${name}.yaml`)).not.toMatch(/OWNER/);
    expect(new Set(manifests.flatMap((each) => JSON.stringify(each).match(/earshot:\d[^"]*/g) ?? [])).size).toBe(1);
  });

  it('has alerts on metrics that there are', () => {
    const sources = ['metrics', 'fleet-metrics']
      .map((name) => readFileSync(join(root, `src/service/http/server/${name}.ts`), 'utf8'))
      .join('\n');
    const asked = read('kubernetes/monitoring.yaml').match(/earshot_\w+/g) ?? [];
    expect(asked.length).toBeGreaterThan(5);
    for (const name of asked) expect(sources).toContain(`'${name}'`);
  });

  it('spreads pods over nodes, and keeps an API that stops in line until it gets no more requests', () => {
    for (const name of ['earshot-api', 'earshot-worker'])
      expect(podOf(name).topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toContain(
        'kubernetes.io/hostname',
      );
    const { containers, terminationGracePeriodSeconds } = podOf('earshot-api');
    expect(containers[0]?.lifecycle?.preStop).toEqual({ exec: { command: ['sleep', '5'] } });
    expect(terminationGracePeriodSeconds).toBeGreaterThan(loadConfig({}).graceSeconds + 5 + 5);
  });

  it('has a probe that sees a worker whose file is old or missing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'earshot-probe-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [shell = '', ...args] = podOf('earshot-worker').containers[0]?.livenessProbe.exec?.command ?? [];
    const file = join(folder, 'alive');
    const probe = async (): Promise<boolean> =>
      await run(
        shell,
        args.map((each) => each.replace('/data/alive', file)),
      ).then(
        () => true,
        () => false,
      );
    expect(await probe()).toBe(false);
    writeFileSync(file, '');
    expect(await probe()).toBe(true);
    const before = new Date(Date.now() - 200_000);
    utimesSync(file, before, before);
    expect(await probe()).toBe(false);
  });

  it('asks for a slot a job, less as it is done: a long file at 95 % needs one worker', async () => {
    const { triggers } = named('ScaledObject', 'earshot-worker').spec as Scaled;
    const [trigger] = triggers;
    const stores = await databases.freshStores();
    const { id } = await newAccount(stores, 1000);
    const workers = async (): Promise<number> => {
      const { rows } = await stores.database.query(`select (${trigger?.metadata.query ?? ''}) as seconds`);
      const [{ seconds } = { seconds: NaN }] = rows as readonly { readonly seconds: number }[];
      return Math.ceil(Number(seconds) / Number(trigger?.metadata.targetQueryValue));
    };
    expect(await workers()).toBe(0);
    const job = async (set: string): Promise<void> => {
      const made = await stores.jobs.create(newJob(id, paid(1)));
      await stores.database.query(`update jobs set ${set} where id = '${made.job.id}'`);
    };
    await job("status = 'running', progress = 0.95, billed_seconds = 36000");
    expect(await workers()).toBe(1);
    await job("status = 'queued', billed_seconds = 36000");
    expect(await workers()).toBe(1);
    for (let n = 0; n < 3; n += 1) await job("status = 'queued', billed_seconds = 36000");
    expect(await workers()).toBe(2);
  });

  it('writes the number of running tasks of each worker where Kubernetes looks when it deletes pods', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'earshot-cost-'));
    const asked: (readonly [string | undefined, string | undefined, string])[] = [];
    const pods = ['idle', 'busy', 'same'].map((name) => ({
      metadata: { name, ...(name === 'same' ? { annotations: { [cost]: '0' } } : {}) },
    }));
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (bytes: Buffer) => (body += bytes.toString()));
      request.on('end', () => {
        asked.push([request.method, request.url, body]);
        response.end(JSON.stringify({ items: pods }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      rmSync(folder, { recursive: true });
    });
    const { data } = named('ConfigMap', 'earshot-deletion-cost') as unknown as {
      readonly data: Readonly<Record<string, string>>;
    };
    writeFileSync(join(folder, 'deletion-cost.mjs'), data['deletion-cost.mjs'] ?? '');
    for (const [name, text] of Object.entries({ namespace: 'here', token: 'secret' }))
      writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, 'bin'));
    const workers = [
      { host: 'idle', running: 0 },
      { host: 'busy', running: 3 },
    ];
    writeFileSync(join(folder, 'bin/earshot'), `#!/bin/sh\necho '${JSON.stringify(workers)}'\n`, { mode: 0o755 });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await run(process.execPath, [join(folder, 'deletion-cost.mjs')], {
      env: {
        PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
        SERVICE_ACCOUNT: folder,
        KUBERNETES_API: `http://127.0.0.1:${port}`,
      },
    });
    const change = (value: string): string => JSON.stringify({ metadata: { annotations: { [cost]: value } } });
    expect(asked.slice(1)).toEqual([
      ['PATCH', '/api/v1/namespaces/here/pods/idle', change('0')],
      ['PATCH', '/api/v1/namespaces/here/pods/busy', change('300')],
    ]);
    expect(asked[0]?.[1]).toContain('component%3Dworker');
  });
});
