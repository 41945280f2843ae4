// What models are given of the tools on this machine: within the rules of the providers, and small.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { localCalls } from '../../../src/cli/mcp/calls/all.ts';
import { LocalJobs } from '../../../src/cli/mcp/jobs/local-jobs.ts';
import { shortSchema } from '../../../src/library/tools/assistant-tool.ts';
import { chooseCalls } from '../../../src/library/tools/assistant-groups.ts';
import { refusedByProviders } from '../../fixtures/provider-rules.ts';

const nowhere = { roots: [], outputDir: null } as never;
const all = localCalls({ engine: {} as never, folders: nowhere, jobs: new LocalJobs(null) });
const shown = (setting: string) =>
  chooseCalls(all, setting, '--tools').map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: shortSchema(inputSchema) as object,
  }));

it('providers take every tool', () => {
  expect(refusedByProviders(shown('all'))).toEqual([]);
});

it('clients can read what comes: no schema of an answer is of an older draft', () => {
  const ajv = new Ajv2020({ strict: false });
  for (const { name, outputSchema } of all) expect([name, ajv.validateSchema(outputSchema)]).toEqual([name, true]);
});

it('the rules find what they are for', () => {
  const wrong = {
    name: 'a tool',
    inputSchema: {
      type: 'object',
      oneOf: [],
      properties: { 'filter[x]': { type: 'array' }, level: { type: 'integer', enum: [1] }, free: { type: 'object' } },
    },
  };
  const found = refusedByProviders([wrong]).join('\n');
  for (const each of ['Anthropic: a tool has oneOf at its root', 'OpenAI: a tool has no items at a tool.filter[x]'])
    expect(found).toContain(each);
  for (const each of ['a value that is no text at a tool.level', 'no fields at a tool.free', 'the name a tool'])
    expect(found).toContain(`Gemini: a tool has ${each}`);
});

/** By `npm run assistants:tokens`, at 4.0 bytes a token: 5,500 tokens. */
const mostBytes = 22_000;

describe('the tools that a setting chooses', () => {
  it('are small by default, and leave the others to run_chain', () => {
    const usual = shown('usual');
    expect(JSON.stringify(usual).length).toBeLessThan(mostBytes);
    expect(usual.length).toBeLessThan(all.length);
    expect(usual.map(({ name }) => name)).toEqual(expect.arrayContaining(['make_episode', 'run_chain', 'get_job']));
  });

  it('are those of its groups and names, with files and jobs', () => {
    const names = shown('measure, align_script').map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['analyze_audio', 'check_audio', 'align_script', 'list_files', 'get_job']),
    );
    expect(names).not.toContain('transcribe_audio');
    expect(shown('usual align_script')).toHaveLength(shown('').length + 1);
    expect(shown('all')).toHaveLength(all.length);
  });

  it('are refused for a word that chooses none', () => {
    expect(() => shown('transcribe')).toThrow(/Expected usual, all, groups .* for --tools but received transcribe/);
  });
});
