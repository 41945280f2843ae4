import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { toolIds, toolSlugs } from '../../../../src/library/contract/tool-ids.ts';
import { offeredTools as tools } from '../../../../src/service/offers/offers.ts';
import { key, type OpenApi, openApiDocument, session, useApps, useSharedApp } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const start = useApps();
const shared = useSharedApp();

describe('openapi.json', () => {
  it('is a valid OpenAPI 3.1 document of version 1.0.0', slow, async () => {
    const { call } = await shared();
    const { json } = await call('GET', '/api/openapi.json', { headers: { authorization: '' } });
    expect([json.openapi, json.info.version]).toEqual(['3.1.0', '1.0.0']);
    const result = await new Validator().validate(structuredClone(json));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it('has every path of the interface, and marks those that are our choice', async () => {
    const document = (await openApiDocument()) as OpenApi & { paths: Record<string, { 'x-open-point'?: boolean }> };
    const listed = (open: boolean) =>
      Object.entries(document.paths)
        .filter(([, item]) => (item['x-open-point'] === true) === open)
        .flatMap(([path, item]) =>
          Object.keys(item)
            .filter((name) => !name.startsWith('x-'))
            .map((method) => `${method.toUpperCase()} ${path}`),
        )
        .sort();
    expect(listed(false)).toEqual([
      'DELETE /api/v1/files/{id}',
      'GET /api/try/jobs/{id}',
      'GET /api/v1/account',
      'GET /api/v1/auto-refill',
      'GET /api/v1/files',
      'GET /api/v1/files/{id}',
      'GET /api/v1/files/{id}/download',
      'GET /api/v1/files/{id}/peaks',
      'GET /api/v1/files/{id}/transcript',
      'GET /api/v1/jobs',
      'GET /api/v1/jobs/{id}',
      'GET /api/v1/ledger',
      'GET /api/v1/tools',
      ...Object.values(toolSlugs)
        .map((slug) => `POST /api/try/${slug}`)
        .toSorted(),
      'POST /api/v1/files',
      'POST /api/v1/files/import',
      'POST /api/v1/files/{id}/abort',
      'POST /api/v1/files/{id}/upload',
      'POST /api/v1/jobs',
      'POST /api/v1/jobs/{id}/cancel',
      'POST /api/v1/quote',
    ]);
    expect(listed(true)).toEqual([
      'DELETE /api/v1/chains/presets/{name}',
      'DELETE /api/v1/voices/{id}',
      'DELETE /api/v1/webhooks/{id}',
      'GET /api/try',
      'GET /api/try/jobs/{id}/events',
      'GET /api/v1/chains',
      'GET /api/v1/chains/presets',
      'GET /api/v1/chains/recipes',
      'GET /api/v1/chains/{id}',
      'GET /api/v1/chains/{id}/events',
      'GET /api/v1/files/{id}/timeline',
      'GET /api/v1/jobs/{id}/events',
      'GET /api/v1/voices',
      'GET /api/v1/voices/{id}',
      'GET /api/v1/webhooks',
      'GET /api/v1/webhooks/{id}',
      'GET /api/v1/webhooks/{id}/deliveries',
      'GET /f/{token}/{filename}',
      'GET /upload/{token}',
      'PATCH /api/v1/voices/{id}',
      'PATCH /api/v1/webhooks/{id}',
      'POST /api/v1/chains',
      'POST /api/v1/chains/quote',
      'POST /api/v1/chains/{id}/cancel',
      'POST /api/v1/files/{id}/timeline',
      'POST /api/v1/voices',
      'POST /api/v1/webhooks',
      'POST /api/v1/webhooks/{id}/deliveries/{event}/replay',
      'POST /api/v1/webhooks/{id}/secret',
      'POST /api/v1/webhooks/{id}/test',
      'POST /upload/{token}/complete',
      'POST /upload/{token}/links',
      'POST /upload/{token}/name',
      'PUT /api/v1/chains/presets/{name}',
      'PUT /upload/{token}/file',
      'PUT /upload/{token}/parts/{n}',
    ]);
  });

  it('marks open properties and parameters, and requires none that may be left out', async () => {
    const { paths, components } = await openApiDocument();
    const job = components.schemas['Job'] as { properties: Record<string, object> };
    const open = Object.entries(job.properties)
      .filter(([, schema]) => 'x-open-point' in schema)
      .map(([name]) => name);
    expect(open).toEqual(['id', 'tool', 'result', 'error', 'warnings', 'createdAt']);
    expect(
      paths['/api/v1/jobs']!['get']!.parameters!.map(({ name, required, ...parameter }) => [
        name,
        required,
        parameter['x-open-point'] === true,
      ]),
    ).toEqual([
      ['tool', false, false],
      ['cursor', false, true],
      ['limit', false, true],
    ]);
    for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
      for (const parameter of operation.parameters ?? [])
        expect([parameter.name, parameter.required]).toEqual([
          parameter.name,
          // The token of a status link is its credential.
          parameter.in === 'path' || parameter.name === 't',
        ]);
      for (const response of Object.values(operation.responses ?? {}))
        expect(Object.keys(response.headers)).toEqual(expect.arrayContaining(['RateLimit-Policy', 'RateLimit']));
    }
    expect([
      paths['/api/v1/files']!['post']!.requestBody!.required,
      paths['/api/v1/quote']!['post']!.requestBody!.required,
    ]).toEqual([false, true]);
    expect(paths['/api/v1/tools']!['get']!.security).toEqual([]);
    expect(paths['/api/v1/account']!['get']!.security).toEqual([{ bearer: [] }, { session: [] }]);
  });

  it('has no value that can only be null, of which generators make a type that is not there', async () => {
    const alone: string[] = [];
    const walk = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return;
      // Beside another in anyOf they make it an optional value.
      if ('type' in value && String(value.type) === 'null' && !/\/anyOf\/\d+$/.test(place)) alone.push(place);
      for (const [name, inner] of Object.entries(value)) walk(inner, `${place}/${name}`);
    };
    walk(await openApiDocument(), '#');
    expect(alone).toEqual([]);
  });

  it('has a job body for every tool, told apart by tool', async () => {
    const { paths, components } = await openApiDocument();
    const body = paths['/api/v1/jobs']!['post']!.requestBody as unknown as {
      content: Record<
        string,
        {
          schema: {
            oneOf: { $ref: string }[];
            discriminator: { propertyName: string; mapping: Record<string, string> };
          };
        }
      >;
    };
    const { oneOf, discriminator } = body.content['application/json']!.schema;
    expect(discriminator.propertyName).toBe('tool');
    expect(Object.keys(discriminator.mapping)).toEqual(tools.map(({ id }) => id));
    expect(Object.values(discriminator.mapping)).toEqual(oneOf.map(({ $ref }) => $ref));
    for (const [id, pointer] of Object.entries(discriminator.mapping)) {
      expect(toolIds).toContain(id);
      expect(components.schemas[pointer.split('/').at(-1)!]).toMatchObject({ properties: { tool: { const: id } } });
    }
  });
});

describe('health', () => {
  it('is alive, and ready when its parts are', async () => {
    let broken = false;
    const { call } = await start(
      {},
      {
        checks: {
          database: async () => (broken ? Promise.reject(new Error('connection refused to 10.0.0.1')) : undefined),
          objects: async () => undefined,
        },
      },
    );
    expect((await call('GET', '/livez')).json).toEqual({ status: 'ok' });
    expect((await call('GET', '/readyz')).json).toEqual({ status: 'ready', checks: { database: 'ok', objects: 'ok' } });
    broken = true;
    const { status, json, headers } = await call('GET', '/readyz');
    expect([status, json.error.details.checks, headers.get('retry-after')]).toEqual([
      503,
      { database: 'failed', objects: 'ok' },
      '5',
    ]);
    expect(JSON.stringify(json)).not.toContain('10.0.0.1');
    expect((await call('GET', '/livez')).status).toBe(200);
  });

  it('stays ready when a part fails that all share, and tells of it', async () => {
    const { call } = await start(
      {},
      {
        checks: { database: async () => undefined },
        sharedChecks: { files: async () => Promise.reject(new Error('the bucket is away')) },
      },
    );
    const { status, json } = await call('GET', '/readyz');
    expect([status, json]).toEqual([200, { status: 'ready', checks: { database: 'ok', files: 'failed' } }]);
    const { text } = await call('GET', '/metrics');
    expect(text).toContain('earshot_check_ok{check="files"} 0');
    expect(text).toContain('earshot_check_ok{check="database"} 1');
  });

  it('counts requests by route, jobs, queue and bytes', async () => {
    const { call } = await start(
      {},
      {
        metrics: {
          jobs: async () => ({ queued: 1, running: 2, succeeded: 3, failed: 4, cancelled: 5 }),
          queue: async () => ({ job: 6, check: 7, peaks: 8, voice: 0, order: 0, deliver: 0, accept: 0, import: 9 }),
          files: async () => ({ files: 10, bytes: 11_000 }),
          fleet: async () => ({
            processes: [{ role: 'worker', state: 'lost', count: 12 }],
            unfit: 13,
            oldestQueuedSeconds: { paid: 14, free: 15 },
            housekeepingSeconds: { sweep: 16 },
            counts: { lost: 17, 'settlement failed': 18 },
          }),
        },
      },
    );
    await call('GET', '/api/v1/files/file_1');
    await call('GET', '/api/v1/files/file_2');
    await call('GET', '/nowhere');
    const { text, headers } = await call('GET', '/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of [
      'earshot_http_request_duration_seconds_count{method="GET",route="/api/v1/files/:id",status="200"} 2',
      'earshot_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1',
      'earshot_jobs{status="succeeded"} 3',
      'earshot_jobs_ended_total{status="succeeded"} 3',
      'earshot_queue_depth{kind="import"} 9',
      'earshot_stored_bytes 11000',
      'earshot_stored_files 10',
      'earshot_fleet_processes{role="worker",state="lost"} 12',
      'earshot_fleet_processes{role="api",state="running"} 0',
      'earshot_fleet_unfit 13',
      'earshot_oldest_queued_job_seconds{class="free"} 15',
      'earshot_attempts_total{end="lost"} 17',
      'earshot_attempts_total{end="crashed"} 0',
      'earshot_settlements_failed_total 18',
      'earshot_housekeeping_age_seconds{task="sweep"} 16',
    ])
      expect(text).toContain(line);
    expect(text).toMatch(/^earshot_process_cpu_seconds_total \d/m);
    expect(text).not.toContain('earshot_jobs_ended_total{status="queued"}');
    // As Prometheus names them: counters by `_total`, and what goes down again never.
    const kinds = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind]) => [name, kind] as const);
    expect(kinds.length).toBeGreaterThan(20);
    // Those of Node are called by prom-client.
    for (const [name, kind] of kinds)
      if (!name.startsWith('earshot_nodejs_')) expect(name.endsWith('_total'), name).toBe(kind === 'counter');
  });

  it('goes on counting when a source fails', async () => {
    const { call, logged } = await start(
      {},
      { metrics: { jobs: async () => Promise.reject(new Error('database is down')) } },
    );
    const { status, text } = await call('GET', '/metrics');
    expect(status).toBe(200);
    expect(text).toContain('earshot_process_cpu_seconds_total');
    expect(logged()).toContain('database is down');
  });
});

describe('the log', () => {
  it('has a line per request and never a credential', async () => {
    const secret = 'tHeSeCrEtToKeN0123456789';
    const { app, base, call, logged } = await start({
      accounts: {
        view: async () =>
          Promise.reject(new Error(`cannot read http://127.0.0.1/f/${secret}/a.wav with Bearer ${key}`)),
      },
    });
    await call('GET', '/api/v1/account');
    await call('GET', `/upload/${secret}`);
    await call('PUT', `/upload/${secret}/parts/1`, { raw: 'abc' });
    await call('GET', `/f/${secret}/a.wav`);
    await call('GET', `/upload/${secret}/nowhere`);
    await call('GET', `/api/try/jobs/job_1?t=${secret}`);
    await call('GET', `/f/${secret}/%zz`);
    await fetch(`${base}/api/v1/jobs`, {
      headers: { cookie: `__Secure-svc.session_token=${session}`, 'x-api-key': key },
    });
    app.log.info(
      {
        req: { headers: { authorization: `Bearer ${key}`, cookie: session, 'x-api-key': key } },
        headers: { authorization: key },
      },
      'careless',
    );
    const lines = logged()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged()).not.toContain(secret);
    expect(logged()).not.toContain(key);
    expect(logged()).not.toContain(key.slice(7));
    expect(logged()).not.toContain(session);
    expect(
      lines
        .filter(({ msg }) => msg === 'request')
        .map(({ method, url, status }) => `${String(method)} ${String(url)} ${String(status)}`),
    ).toEqual([
      'GET /api/v1/account 500',
      'GET /upload/[redacted] 200',
      'PUT /upload/[redacted]/parts/1 200',
      'GET /f/[redacted]/a.wav 404',
      'GET /upload/[redacted]/nowhere 404',
      'GET /api/try/jobs/job_1?t=[redacted] 404',
      'GET /f/[redacted]/%zz 400',
      'GET /api/v1/jobs 200',
    ]);
    expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({
      account: 'acc_1',
      error: 'internal_error',
      route: '/api/v1/account',
    });
  });
});
