// What the service must not show or take of a tool, although the library and the command line have it.
import { describe, expect, it } from 'vitest';
import { interfaceOf, interfaceTool } from '../../../src/service/offers/interface-tool.ts';
import { requireTool, tools } from '../../../src/library/tools/registry.ts';
import { splitSoundTrack } from '../../../src/library/tools/declare/sound-track.ts';
import { parseJobOptions } from '../../../src/service/offers/job-options.ts';
import { offeredTools } from '../../../src/service/offers/offers.ts';
import { restBodySchema, splitBody } from '../../../src/service/http/interface/rest-body.ts';

const cut = requireTool('cut_audio', offeredTools);
const body = { tool: 'cut_audio', file_id: 'file_a', idempotency_key: 'k' };

describe('a tool of the interface', () => {
  it('has no field of the library alone, in no place', () => {
    expect(offeredTools.map(({ id }) => id)).toEqual(tools.map(({ id }) => id));
    for (const tool of offeredTools) {
      const whole = requireTool(tool.id);
      for (const name of interfaceOf(tool.id).localFields) {
        expect({ ...whole.inputs, ...whole.options.properties }).toHaveProperty(name);
        expect(tool.inputs).not.toHaveProperty(name);
        expect(tool.options.properties).not.toHaveProperty(name);
        expect(JSON.stringify(restBodySchema(tool))).not.toContain(`"${name}"`);
      }
    }
  });

  it('refuses such a field by its name, and demands what it could replace', () => {
    expect(() => splitBody(cut, { ...body, ranges: [[0, 1]], by_text_file_id: 'file_b' })).toThrow(
      /Unknown field by_text_file_id/,
    );
    expect(() => splitBody(cut, body)).toThrow(/Expected list of 1 to 100 items.* for ranges/);
    expect(splitBody(cut, { ...body, ranges: [[0, 1]] }).options).toEqual({
      ranges: [[0, 1]],
      keep_encoding: false,
      mode: 'remove',
      output: 'joined',
      order: 'recorded',
      crossfade_ms: 20,
    });
    expect(() => cut.parseOptions({ ranges: [[1, 0]] })).toThrow(/end after start/);
  });
});

it('takes the number or the language of a sound track, but where the contract names all fields', () => {
  const order = (tool: string, track: unknown): unknown =>
    splitBody(requireTool(tool, offeredTools), { ...body, tool, track }).options['track'];
  for (const track of ['1', '2', 'deu', 'pt-BR']) expect(order('remove_noise', track)).toBe(track);
  for (const track of ['0', '', '../x', 2, null])
    expect(() => order('remove_noise', track), `${track}`).toThrow(expect.objectContaining({ code: 'bad_request' }));
  expect(() =>
    splitBody(requireTool('analyze_audio', offeredTools), { tool: 'analyze_audio', file_id: 'file_a', track: '2' }),
  ).toThrow(/Unknown field track/);
  expect(splitSoundTrack({ track: '2', mode: 'x' })).toEqual({ soundTrack: 2, options: { mode: 'x' } });
  expect(splitSoundTrack({ mode: 'x' })).toEqual({ options: { mode: 'x' } });
});

it('leaves jobs what only they may ask for', () => {
  const tool = requireTool('remove_noise');
  const shown = interfaceTool(tool);
  for (const each of [tool, shown]) {
    expect(parseJobOptions(each, { noise_reduction: 5 })).toMatchObject({ noise_reduction: 5, auto_volume: true });
    expect(() => parseJobOptions(each, { noise_reduction: 0 })).toThrow('between 1 and 100');
    expect(() => each.parseOptions({ noise_reduction: 5 })).toThrow('between 10 and 100');
  }
  for (const parse of [shown.parseOptions, (given: unknown) => parseJobOptions(shown, given)]) {
    expect(parse({ room_db: -10 })).toMatchObject({ room_db: -10, method: 'voice' });
    expect(() => parse({ room_db: -100 })).toThrow('room_db');
    expect(() => parse({ method: 'steady', voice_db: 3 })).toThrow('voice_db');
  }
  expect(() => parseJobOptions(tool, { noise_reduction: 5, room_db: -10 })).toThrow('received both');
  expect(() => parseJobOptions(requireTool('cut_audio'), { ranges: [[1, 0]] })).toThrow(/end after start/);
});
