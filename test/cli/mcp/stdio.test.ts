// @module-tag nightly
// `earshot mcp` as a program that starts it uses it: the official clients of both generations over its standard
// streams.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Client2026 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Transport2026 } from '@modelcontextprotocol/client/stdio';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolIds } from '../../../src/library/contract/tool-ids.ts';
import { mainPath } from '../../fixtures/built/main-path.ts';
import { tone } from '../../fixtures/media/signals.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string; data?: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  readonly structuredContent?: any;
}

interface Asking {
  call(name: string, given: object, options?: object): Promise<Result>;
  list(): Promise<readonly { readonly name: string; readonly inputSchema: object }[]>;
  close(): Promise<void>;
}

const root = mkdtempSync(join(tmpdir(), 'earshot-test-mcp-'));
const folder = join(root, 'podcast');
const outside = join(root, 'secret');
const programOf = (...flags: string[]) => ({
  command: process.execPath,
  args: [mainPath, 'mcp', '--tools', 'all', ...flags],
  env: { XDG_DATA_HOME: join(root, 'data') },
});
let newer: Asking;
let older: Asking;

beforeAll(async () => {
  for (const each of [folder, outside]) mkdirSync(each);
  writeWav(join(folder, 'talk.wav'), [tone(16_000, 16_000, 440, 0.05)], 16_000);
  writeWav(join(outside, 'private.wav'), [tone(16_000, 16_000, 440, 0.05)], 16_000);
  symlinkSync(join(outside, 'private.wav'), join(folder, 'link.wav'));
  const client = new Client2026({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new Transport2026(programOf('--allow', folder)));
  newer = {
    call: async (name, given, options = {}) =>
      (await client.callTool({ name, arguments: given as never }, options)) as Result,
    list: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
  const before = new Client2025({ name: 'test', version: '1' });
  await before.connect(new Transport2025(programOf('--allow', folder, '--output-dir', join(root, 'finished'))));
  older = {
    call: async (name, given, options = {}) =>
      (await before.callTool({ name, arguments: given as never }, undefined, options)) as Result,
    list: async () => (await before.listTools()).tools,
    close: () => before.close(),
  };
});
afterAll(async () => {
  await newer?.close();
  await older?.close();
  rmSync(root, { recursive: true, force: true });
});

describe('earshot mcp', () => {
  it('has every tool with paths for files, and no combinator at a root', async () => {
    const tools = await newer.list();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...toolIds, 'make_episode', 'get_job']));
    for (const { name, inputSchema } of tools) {
      for (const combinator of ['oneOf', 'anyOf', 'allOf'])
        expect([name, combinator in inputSchema]).toEqual([name, false]);
      expect([name, JSON.stringify(inputSchema).includes('file_id')]).toEqual([name, false]);
    }
    expect(await older.list()).toHaveLength(tools.length);
    const usual = new Client2026({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const { command, args, env } = programOf('--allow', folder);
    await usual.connect(new Transport2026({ command, args: args.filter((each) => !/tools|all$/.test(each)), env }));
    expect((await usual.listTools()).tools.length).toBeLessThan(tools.length);
    const { prompts } = await usual.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['episode', 'clean-up', 'captions', 'shorten', 'check']);
    const given = { recordings: 'talk.wav', title: 'On walking' };
    const { messages } = await usual.getPrompt({ name: 'episode', arguments: given });
    expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('Its title is On walking.') });
    await usual.close();
  });

  it('writes beside the input, tells progress, and what was measured before and after', async () => {
    const told: number[] = [];
    const options = { onprogress: ({ progress }: { progress: number }) => void told.push(progress) };
    const done = await newer.call('adjust_loudness', { file: join(folder, 'talk.wav'), picture: true }, options);
    const [output] = done.structuredContent.outputs;
    expect([output.path, existsSync(output.path)]).toEqual([join(folder, 'talk.loudness.wav'), true]);
    expect(done.structuredContent.measured.after.integratedLufs).toBeCloseTo(-16, 0);
    expect(done.content[0]?.text).toMatch(/Before: 1\.0 s.*After: 1\.0 s, -16\.0 LUFS/);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    const picture = done.content.find(({ type }) => type === 'image');
    expect(
      Buffer.from(picture?.data ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const again = await newer.call('adjust_loudness', { file: 'talk.wav' });
    expect([again.isError, again.structuredContent.error.code]).toEqual([true, 'conflict']);
  });

  it('writes where --output-dir says', async () => {
    const { structuredContent } = await older.call('convert_audio', {
      file: 'talk.wav',
      format: 'flac',
      measure: false,
    });
    expect(structuredContent.outputs[0].path).toBe(join(root, 'finished', 'talk.convert.flac'));
    expect(readFileSync(structuredContent.outputs[0].path).subarray(0, 4).toString()).toBe('fLaC');
  });

  it('refuses a message that is too long, and serves on', async () => {
    for (const client of [newer, older]) {
      const asked = client.call('analyze_audio', { file: 'x'.repeat(11 * 2 ** 20) });
      await expect(asked).rejects.toThrow('Expected a message of at most 10485760 bytes');
      expect((await client.call('list_files', {})).isError).toBeUndefined();
    }
  });

  it("does not lose a job to its client's timeout, and a later server has its result", async () => {
    writeWav(join(folder, 'long.wav'), [tone(16_000, 16_000 * 600, 440, 0.05)], 16_000);
    const start = async (): Promise<Client2025> => {
      const client = new Client2025({ name: 'test', version: '1' });
      await client.connect(new Transport2025(programOf('--allow', folder)));
      return client;
    };
    const ask = async (client: Client2025, name: string, given: object, options = {}): Promise<Result> =>
      (await client.callTool({ name, arguments: given as never }, undefined, options)) as Result;
    const first = await start();
    const given = { file: 'long.wav', noise_reduction: '50 %', measure: false };
    await expect(ask(first, 'remove_noise', given, { timeout: 300 })).rejects.toThrow(/timed out/);
    const [job] = (await ask(first, 'list_jobs', {})).structuredContent.jobs;
    expect(job).toMatchObject({ tool: 'remove_noise', status: 'running' });
    // A call answers before a client would give it up, and says what to do.
    const pending = await ask(first, 'get_job', { job_id: job.job_id, wait: 0.1 });
    expect(pending.content[0]?.text).toContain('Call get_job with this job_id to wait for it.');
    const done = await ask(first, 'get_job', { job_id: job.job_id });
    expect(done.structuredContent).toMatchObject({ status: 'succeeded', job_id: job.job_id });
    expect(existsSync(join(folder, 'long.remove-noise.wav'))).toBe(true);
    await first.close();
    const later = await start();
    const found = await ask(later, 'get_job', { job_id: job.job_id });
    expect([found.structuredContent, found.content[1]]).toEqual([done.structuredContent, done.content[1]]);
    expect(found.content[0]?.text).toContain(join(folder, 'long.remove-noise.wav'));
    await later.close();
  });

  it('answers refusals as results, not as failures of the protocol', async () => {
    const refused = await newer.call('remove_silence', { file: join(outside, 'private.wav') });
    expect([refused.isError, refused.structuredContent.error.code]).toEqual([true, 'forbidden']);
    expect(readdirSync(outside)).toEqual(['private.wav']);
  });
});
