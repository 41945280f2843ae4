// What the doors for other programs cost: a call over MCP, and a transcription by OpenAI's endpoint beside REST's.
import { readFileSync } from 'node:fs';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClient, type RunningService } from '../../test/fixtures/service/running-service.ts';
import { median } from '../compare.ts';
import { type Row, spentBy } from './cost.ts';
import { wavFile } from './wav.ts';

const calls = 30;
const transcriptions = 3;

/** @param residentMb of a process */
export async function measureAssistants(
  service: RunningService,
  key: string,
  residentMb: (pid: number) => number,
  row: Row,
): Promise<void> {
  const rest = createClient(service.address, key);
  const file = await rest.upload(wavFile(2), 'two.wav');
  const [api = 0] = service.pids().api;
  const before = residentMb(api);
  const client = new McpClient({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.address}/mcp`), { requestInit }));
  const { tools } = await client.listTools();
  // What a model is given of them.
  const given = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  row('MCP: tools', '22 kB', `${(JSON.stringify(given).length / 1000).toFixed(1)} kB, ${tools.length} tools`);
  row('MCP: the API grows with the first request by', '', `${(residentMb(api) - before).toFixed(0)} MB`);
  const start = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let call = 0; call < count; call += 1) {
      const given = { file_id: file.id, format: 'flac', wait: 0, idempotency_key: `bench-${count}-${call}` };
      const { structuredContent, isError } = await client.callTool({ name: 'convert_audio', arguments: given });
      if (isError === true) throw new Error(JSON.stringify(structuredContent));
      ids.push((structuredContent as { id: string }).id);
    }
    return ids;
  };
  const first = await start(5);
  const from = spentBy(service).API;
  const ids = await start(calls);
  row(
    'MCP: a call that starts a job, CPU of the API',
    '60 ms',
    `${((spentBy(service).API - from) / calls).toFixed(1)} ms`,
  );
  await client.close();
  for (const id of [...first, ...ids]) await rest.finished(id);

  const talk = readFileSync(new URL('../../docs/samples/talk.opus', import.meta.url));
  const byRest = async (): Promise<void> => {
    const { id } = await rest.upload(new Uint8Array(talk), 'talk.opus');
    const job = await rest.call<{ id: string }>('POST', '/api/v1/jobs', {
      tool: 'transcribe_audio',
      file_id: id,
      idempotency_key: `bench-${id}`,
    });
    const { status } = await rest.finished(job.id);
    if (status !== 'succeeded') throw new Error(`job ${job.id} ${status}`);
  };
  const byOpenai = async (): Promise<void> => {
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', new File([new Uint8Array(talk)], 'talk.opus'));
    const headers = { authorization: `Bearer ${key}` };
    const said = await fetch(`${service.address}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
    if (!said.ok) throw new Error(await said.text());
  };
  await byRest();
  const cost = async (work: () => Promise<void>): Promise<number> => {
    const spent: number[] = [];
    for (let run = 0; run < transcriptions; run += 1) {
      const at = spentBy(service);
      await work();
      const now = spentBy(service);
      spent.push((['job', 'worker', 'API', 'database'] as const).reduce((sum, kind) => sum + now[kind] - at[kind], 0));
    }
    return median(spent) / 1000;
  };
  const [restSeconds, openaiSeconds] = [await cost(byRest), await cost(byOpenai)];
  row(
    'transcription of 14 s, CPU: by REST / by the OpenAI endpoint',
    'the same',
    `${restSeconds.toFixed(2)} s / ${openaiSeconds.toFixed(2)} s`,
  );
}
