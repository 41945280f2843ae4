// What models are given of a service's tools: within the rules of the providers, small, and chosen by a setting.
import { expect, it } from 'vitest';
import { refusedByProviders } from '../../../fixtures/provider-rules.ts';
import { key, useApps } from '../support.ts';

const start = useApps();

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema: { readonly properties: object };
}

async function list(mcpTools?: string): Promise<readonly Listed[]> {
  const { base } = await start({}, mcpTools === undefined ? {} : { config: { mcpTools } });
  const answer = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  const [, json = ''] = /^data: (.*)$/m.exec(await answer.text()) ?? [];
  return (JSON.parse(json) as { result: { tools: readonly Listed[] } }).result.tools;
}

it('is small by default, says what comes, and its setting brings the others', async () => {
  const usual = await list();
  const given = usual.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  // By `npm run assistants:tokens` 4.0 bytes a token: 5,500 tokens.
  expect(JSON.stringify(given).length).toBeLessThan(22_000);
  for (const { name, outputSchema } of usual)
    expect([name, Object.keys(outputSchema.properties).length > 2]).toEqual([name, true]);
  const all = await list('all');
  expect(all.length).toBeGreaterThan(usual.length);
  expect(refusedByProviders(all)).toEqual([]);
  const words = (await list('words')).map(({ name }) => name);
  expect(words).toEqual(expect.arrayContaining(['transcribe_audio', 'align_script', 'get_file', 'get_job']));
  expect(words).not.toContain('remove_noise');
  await expect(list('nois')).rejects.toThrow(/EARSHOT_MCP_TOOLS but received nois/);
});
