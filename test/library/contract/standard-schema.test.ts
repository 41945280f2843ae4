// The options of each tool as a Standard Schema.
import { expect, it } from 'vitest';
import { optionsSchema } from '../../../src/library/tools/standard-schema.ts';
import { tools } from '../../../src/library/tools/registry.ts';

it.each(tools.map(({ id }) => id))('%s: fills in the defaults that the tool itself has', async (id) => {
  const schema = optionsSchema(id)['~standard'];
  expect(schema).toMatchObject({ version: 1, vendor: 'earshot' });
  const tool = tools.find((one) => one.id === id);
  expect(await schema.validate({})).toEqual({ value: tool?.parseOptions({}) });
});

it.each([
  [{ target: 'loud' }, 'target'],
  [{ target: 'custom' }, 'custom_lufs'],
  [{ lufs: -16 }, undefined],
  ['podcast', undefined],
  [null, undefined],
])('%j is an issue at %s, with the message of a run', async (options, field) => {
  const { issues } = await optionsSchema('loudness')['~standard'].validate(options);
  expect(issues).toEqual([
    { message: expect.stringMatching(/received|Unknown option/), ...(field ? { path: [field] } : {}) },
  ]);
});

it('a name that is no tool is refused at once', () => {
  expect(() => optionsSchema('louder' as 'loudness')).toThrow(/louder/);
});
