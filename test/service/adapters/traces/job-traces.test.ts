// Traces of jobs, as a collector of OpenTelemetry receives them.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootIdOf, traceIdOf } from '../../../../src/service/adapters/traces/job-traces.ts';
import { tracesHere } from '../../../../src/service/serve/tracing.ts';
import { createJobs } from '../../../../src/service/rules/jobs/jobs.ts';
import { indexTools } from '../../../../src/service/rules/tools/tool-facts.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { createHost } from '../../rules/host.ts';
import { fakeTools } from '../../rules/tool-facts.ts';
import { slow } from '../../../fixtures/rounds.ts';

const databases = useDatabases();

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}
const spans: SentSpan[] = [];
let collector: Server;
const before = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
          resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
        };
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
        response.setHeader('content-type', 'application/json').end('{}');
      });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(() => {
  if (before === undefined) delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  else process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = before;
  collector.closeAllConnections();
  collector.close();
});

test('a job is one trace over the processes that create and run it, down to the stages of its run', slow, async () => {
  await using host = await createHost(await databases.freshStores());
  // Two processes: they share nothing but the database.
  const [api, worker] = [await tracesHere('api'), await tracesHere('worker')];
  if (api === null || worker === null) throw new Error('Expected traces where an endpoint is set');
  const { stores, prices, config } = host;
  const account = await host.account(100);
  const file = await host.file(account);
  const jobs = createJobs({
    ...stores,
    jobs: api.jobs.jobs(stores.jobs),
    tools: indexTools(fakeTools()),
    prices,
    config,
  });
  const { job } = await jobs.create(account, {
    tool: 'remove_noise',
    inputs: { file_id: [file.id] },
    options: { acts: ['succeed'], id: 'x' },
    idempotencyKey: 'k',
    maxCredits: null,
    free: false,
  });
  const running = host.makeWorker({
    stores: { ...stores, jobs: worker.jobs.jobs(stores.jobs) },
    media: worker.jobs.media(host.media),
  });
  await running.start();
  await host.ended(job.id);
  await running.stop();
  await Promise.all([api.close(), worker.close()]);

  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(job.id)]));
  const named = (name: string): SentSpan => spans.find((span) => span.name === name) ?? expect.fail(`no span ${name}`);
  const root = named('job remove_noise');
  expect([root.spanId, root.parentSpanId ?? '']).toEqual([rootIdOf(job.id), '']);
  const tree: Record<string, SentSpan> = {
    create: root,
    queued: root,
    attempt: root,
    run: named('attempt'),
    settle: named('attempt'),
    encoding: named('run'),
  };
  for (const [name, parent] of Object.entries(tree))
    expect([name, named(name).parentSpanId]).toEqual([name, parent.spanId]);
  expect(spans).toHaveLength(7);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
});

test('without an endpoint nothing is loaded', async () => {
  const endpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  expect(await tracesHere('worker')).toBe(null);
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
});
