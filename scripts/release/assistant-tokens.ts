// `npm run assistants:tokens`: what the tools of both servers cost a model, in tokens of o200k_base (gpt-4o and later):
// name, description and input schema, which providers give to it; and the whole lists as they are sent. The tokenizer
// is fetched when this runs, since its tables are 27 MB that nothing else needs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startService } from '../../test/fixtures/service/running-service.ts';
import { forgetTools, program } from './managers.mjs';

/** Of a session's tools. */
const mostTokens = 5500;
const place = mkdtempSync(join(tmpdir(), 'earshot-tokens-'));
const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
const file = program('gpt-tokenizer@4.0.0', { file: 'esm/encoding/o200k_base.js' });
const { encode } = (await import(pathToFileURL(file).href)) as { encode(text: string): number[] };
const tokensOf = (value: unknown): number => encode(JSON.stringify(value)).length;

async function measure(title: string, transport: StdioClientTransport | StreamableHTTPClientTransport, each: boolean) {
  const client = new Client({ name: 'tokens', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport as never);
  const { tools } = await client.listTools();
  const instructions = client.getInstructions() ?? '';
  await client.close();
  const given = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const tokens = given.reduce((sum, tool) => sum + tokensOf(tool), 0);
  if (each) for (const tool of given) console.log(`  ${tool.name.padEnd(20)} ${String(tokensOf(tool)).padStart(5)}`);
  console.log(
    `${title}: ${tools.length} tools, ${tokens} tokens (${JSON.stringify(given).length} bytes), instructions ` +
      `${encode(instructions).length} tokens; the list as it is sent ${JSON.stringify(tools).length} bytes`,
  );
  return tokens;
}

const local = (setting: string) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', '--allow', place, '--tools', setting],
    env: { XDG_DATA_HOME: join(place, 'local') },
  });

try {
  const totals = [await measure('earshot mcp', local('usual'), true)];
  await measure('earshot mcp --tools all', local('all'), false);
  for (const setting of ['usual', 'all']) {
    const flags = ['--log-level', 'error', '--mcp-tools', setting];
    const service = await startService(join(place, setting), flags);
    const headers = { authorization: `Bearer ${service.key ?? ''}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${service.address}/mcp`), {
      requestInit: { headers },
    });
    const tokens = await measure(`/mcp of a service, ${setting}`, transport, setting === 'usual');
    if (setting === 'usual') totals.push(tokens);
    await service.stop();
  }
  const over = totals.filter((tokens) => tokens > mostTokens);
  console.log(over.length === 0 ? `within ${mostTokens} tokens` : `more than ${mostTokens} tokens: ${over.join(', ')}`);
  process.exitCode = over.length === 0 ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
  forgetTools();
}
