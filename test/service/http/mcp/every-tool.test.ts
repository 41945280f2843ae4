// @module-tag nightly
// Every tool once on real sound, as an assistant calls it through a service: uploaded, run, and what came out fetched
// by the link of the answer.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ToolId } from '../../../../src/library/contract/tool-ids.ts';
import { offeredTools } from '../../../../src/service/offers/offers.ts';
import { everyTool, realFiles } from '../../../fixtures/assistant-arguments.ts';
import { eventually } from '../../../fixtures/until.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';

const services = useServices();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-mcp-'));
const ids = new Map<string, string>();
let service: TestService;
let client: Client;

// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
type Answer = any;
const call = async (name: string, given: object): Promise<Answer> =>
  client.callTool({ name, arguments: given as never });

beforeAll(async () => {
  service = await services.start({ config: { mcpTools: 'all' } });
  const { key } = await service.account(1000);
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.base}/mcp`), { requestInit: { headers } }));
  for (const name of await realFiles(folder)) {
    const body = readFileSync(join(folder, name));
    const { structuredContent: made } = await call('create_upload', { filename: name, size_bytes: body.length });
    const { ok } = await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body });
    expect([name, ok]).toEqual([name, true]);
    await eventually(async () =>
      expect((await call('get_file', { file_id: made.file.id })).structuredContent.status).toBe('ready'),
    );
    ids.set(name, made.file.id);
  }
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

const given = (id: ToolId): object => everyTool((name) => ids.get(name) ?? '', true)[id];

it.each(offeredTools.map(({ id }) => id))('%s answers with what it made', async (id) => {
  let answer = await call(id, given(id));
  expect([id, answer.isError, answer.content[0].text]).toEqual([id, undefined, expect.any(String)]);
  while (answer.structuredContent.status === 'queued' || answer.structuredContent.status === 'running')
    answer = await call('get_job', { job_id: answer.structuredContent.id, wait: 40 });
  expect(answer.structuredContent).toMatchObject({ status: 'succeeded' });
  const links = answer.content.filter(({ type }: { type: string }) => type === 'resource_link');
  if (id !== 'analyze_audio' && id !== 'check_audio' && !('find_only' in given(id)))
    expect(links.length).toBeGreaterThan(0);
  for (const { uri, size, mimeType } of links) {
    const got = await fetch(uri);
    expect([got.status, (await got.arrayBuffer()).byteLength]).toEqual([200, size]);
    expect(got.headers.get('content-type')?.startsWith(mimeType)).toBe(true);
  }
});
