// @module-tag nightly
// Every tool once on real sound, as a program that starts `earshot mcp` calls it.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toolIds } from '../../../src/library/contract/tool-ids.ts';
import { everyTool, realFiles } from '../../fixtures/assistant-arguments.ts';
import { mainPath } from '../../fixtures/built/main-path.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-test-mcp-'));
const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });

beforeAll(async () => {
  await realFiles(folder);
  const args = [mainPath, 'mcp', '--allow', folder, '--tools', 'all'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: { XDG_DATA_HOME: join(folder, 'data') } }),
  );
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

/** They write no file. */
const answersOnly = new Set<string>(['analyze_audio', 'check_audio']);

it.each(toolIds)('%s writes what it made', async (id) => {
  // Transcripts and aligned scripts are written under one name.
  const given = { ...everyTool((name) => name, false)[id], ...(answersOnly.has(id) ? {} : { overwrite: true }) };
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  const answer: any = await client.callTool({ name: id, arguments: given }, { timeout: 600_000 });
  expect([id, answer.isError, answer.content[0].text]).toEqual([id, undefined, expect.any(String)]);
  const { outputs = [] } = answer.structuredContent;
  if (!answersOnly.has(id) && !('find_only' in given)) expect(outputs.length).toBeGreaterThan(0);
  for (const { path } of outputs as { path: string }[]) {
    expect(path.startsWith(folder)).toBe(true);
    expect(statSync(path).size).toBeGreaterThan(40);
  }
});
