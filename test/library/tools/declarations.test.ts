// What the service reads off the declarations.
import { Ajv } from 'ajv';
import { describe, expect, it, vi } from 'vitest';
import { Transcript } from '../../../src/library/contract/transcript.ts';
import { resultSchemas } from '../../../src/library/tools/result-schemas.ts';
import { interfaceTool } from '../../../src/service/offers/interface-tool.ts';
import { requireTool, tools } from '../../../src/library/tools/registry.ts';

const sound = { format: 'wav', durationSeconds: 10, hasAudio: true, hasVideo: false };
const script = { format: 'srt', durationSeconds: null, hasAudio: false, hasVideo: false };
const codes = (id: string, facts: Record<string, (typeof sound | typeof script)[]>, options: object): string[] => {
  const tool = requireTool(id);
  return tool.plan(facts, tool.parseOptions(options)).refusals.map(({ code }) => code);
};

it('every declaration says whether it can run here', async () => {
  for (const tool of tools) {
    const missing = await tool.unavailable();
    if (missing) expect(missing.message).toContain(tool.id);
  }
});

it('every schema of ours is one by JSON Schema, which is not checked at each start', () => {
  const ajv = new Ajv({ strict: false });
  for (const schema of [...tools.map(({ options }) => options), ...Object.values(resultSchemas), Transcript])
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
});

it('no options are the defaults as JSON Schema fills them in, which takes no validator', () => {
  const ajv = new Ajv({ strict: false, useDefaults: true });
  for (const { options, parseOptions } of tools) {
    const filled = {};
    expect(ajv.validate(options, filled)).toBe(true);
    expect(JSON.stringify(parseOptions({}))).toBe(JSON.stringify(filled));
  }
});

describe('transcribe_audio', () => {
  it('says which weights are missing and the command that brings them', async () => {
    const tool = requireTool('transcribe_audio');
    expect(await tool.unavailable()).toBeNull();
    vi.stubEnv('EARSHOT_RECOGNISER', 'hf:nobody/whisper-none');
    expect(await tool.unavailable()).toMatchObject({
      nextAction: expect.stringContaining('earshot models add hf:nobody/whisper-none') as string,
    });
    vi.unstubAllEnvs();
  });
});

describe('what transcribe_audio is told of speakers', () => {
  it.each<[object, boolean]>([
    [{ speakers: 3 }, true],
    [{ speaker_channels: true }, true],
    [{ speakers: 2, speaker_channels: true }, false],
    [{ speakers: 2, speaker_labels: false }, false],
    [{ min_speakers: 2 }, true],
    [{ min_speakers: 3, max_speakers: 3 }, true],
    [{ min_speakers: 3, max_speakers: 2 }, false],
    [{ speakers: 2, max_speakers: 4 }, false],
    [{ max_speakers: 2, speaker_channels: true }, false],
    [{ max_speakers: 2, speaker_labels: false }, false],
    [{ speaker_channels: true, speaker_labels: false }, false],
  ])('%j is accepted: %s', (options, accepted) => {
    const parse = expect(() => requireTool('transcribe_audio').parseOptions(options));
    if (accepted) parse.not.toThrow();
    else parse.toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});

it('a vocabulary has terms of up to 8 words: longer ones would cost more than the recording', () => {
  const parse = (vocabulary: string[]) => requireTool('transcribe_audio').parseOptions({ vocabulary });
  expect(parse(['Caoimhe', 'a b c d e f g h'])['vocabulary']).toHaveLength(2);
  expect(() => parse(['Caoimhe', 'a b c d e f g h i'])).toThrow(/names and terms of up to 8 words each for vocabulary/);
  expect(() => parse([' a  b ', 'x\t'.repeat(9)])).toThrow(/vocabulary/);
});

describe('options and rules of the interface', () => {
  it('enhance_voice', () => {
    expect(requireTool('enhance_voice').parseOptions({})).toEqual({
      noise_reduction: 100,
      auto_volume: true,
      output_format: 'same',
    });
    for (const noise_reduction of [9, 101, 10.5])
      expect(() => requireTool('enhance_voice').parseOptions({ noise_reduction })).toThrow(/noise_reduction/);
  });

  it('transcribe_audio', () => {
    expect(interfaceTool(requireTool('transcribe_audio')).parseOptions({ language: 'deu' })).toEqual({
      language: 'deu',
      verbatim: true,
      speaker_labels: true,
      translate: false,
      speaker_channels: false,
      caption_profile: 'standard',
      karaoke: false,
      sound_events: false,
    });
    for (const language of ['DE', 'd', 'germ'])
      expect(() => requireTool('transcribe_audio').parseOptions({ language })).toThrow(/language/);
  });

  it('align_script takes the text or a script file', () => {
    expect(codes('align_script', { file_id: [sound] }, { text: 'Hello' })).toEqual([]);
    expect(codes('align_script', { file_id: [sound], script_file_id: [script] }, {})).toEqual([]);
    expect(codes('align_script', { file_id: [sound], script_file_id: [] }, {})).toEqual(['bad_request']);
    expect(codes('align_script', { file_id: [sound], script_file_id: [script] }, { text: 'Hello' })).toEqual([
      'bad_request',
    ]);
    expect(requireTool('align_script').inputs['script_file_id']).toMatchObject({
      extensions: ['txt', 'srt', 'vtt'],
      maxBytes: 2_097_152,
    });
  });

  it('remove_fillers takes ids of cuts only with their transcript', () => {
    expect(requireTool('remove_fillers').parseOptions({})).toEqual({
      dry_run: false,
      fillers: 'cut',
      repeats: true,
      breaths: 'keep',
      mouth_clicks: 'keep',
      coughs: 'keep',
      stutters: 'keep',
      keep_encoding: false,
    });
    expect(codes('remove_fillers', { file_id: [sound] }, { cut_ids: ['c1'] })).toEqual(['bad_request']);
    expect(
      codes(
        'remove_fillers',
        { file_id: [sound], transcript_file_id: [{ ...script, format: 'json' }] },
        { cut_ids: ['c1'] },
      ),
    ).toEqual([]);
    for (const cut_ids of [[], ['1'], ['c123456'], Array.from({ length: 5001 }, () => 'c1')])
      expect(() => requireTool('remove_fillers').parseOptions({ cut_ids })).toThrow(/cut_ids/);
  });
});

it('a cut outside of the recording is refused before it runs, unless the length may be off by that much', () => {
  const cut = (ranges: number[][], durationSeconds: number | null = 10): string[] =>
    codes('cut_audio', { file_id: [{ ...sound, durationSeconds: durationSeconds as number }] }, { ranges });
  expect([
    cut([
      [1, 2],
      [9, 10],
    ]),
    cut([[9, 10.4]]),
    cut([[50, 60]], null),
  ]).toEqual([[], [], []]);
  expect([
    cut([
      [1, 2],
      [9, 11],
    ]),
    cut([[12, 13]]),
    cut([[0, 36_000]]),
  ]).toEqual([['ranges_outside'], ['ranges_outside'], ['ranges_outside']]);
  // So is one that would leave nothing, in whatever pieces it comes.
  expect([
    cut([[0, 10]]),
    cut([
      [4, 10.2],
      [0, 5],
    ]),
    cut([[0.01, 10]]),
    cut([[0, 36_000]], null),
  ]).toEqual([['ranges_outside'], ['ranges_outside'], [], []]);
});

describe('a language', () => {
  const facts = { file_id: [sound] };
  const refusals = (id: string, language: string) => {
    const tool = requireTool(id);
    return tool.plan(facts, tool.parseOptions({ language })).refusals;
  };
  it.each(['transcribe_audio', 'remove_fillers'])('that no recogniser knows is told before the work (%s)', (id) => {
    const expected = 'Expected language to be the code of a language that can be recognised, such as en, de or ja';
    const told = (rest: string) => [{ code: 'bad_request', message: `${expected}, ${rest}` }];
    for (const language of ['en', 'de', 'haw', 'yue', 'jw']) expect(refusals(id, language)).toEqual([]);
    expect(refusals(id, 'eng')).toEqual(told('but received eng: en is its code'));
    expect(refusals(id, 'deu')).toEqual(told('but received deu: de is its code'));
    for (const language of ['xx', 'tlh']) expect(refusals(id, language)).toEqual(told(`but received ${language}`));
  });
});

describe('what a window means', () => {
  it('to a cut: ranges behind it go, those across its end are shortened', () => {
    const tool = requireTool('cut_audio');
    const parsed = tool.parseOptions({
      ranges: [
        [1, 2],
        [170, 200],
        [180, 181],
        [300, 400],
      ],
    });
    expect(tool.planWindow?.(parsed, 180)).toEqual({
      optionsWhenCut: {
        ...parsed,
        ranges: [
          [1, 2],
          [170, 180],
        ],
      },
    });
  });

  it('to a swap: sound that is moved forward is needed from further back', () => {
    const tool = requireTool('replace_audio');
    expect(tool.planWindow?.(tool.parseOptions({ offset_seconds: -5 }), 180)).toEqual({
      secondsByField: { audio_file_id: 185 },
    });
    expect(tool.planWindow?.(tool.parseOptions({ offset_seconds: 5 }), 180)).toEqual({
      secondsByField: { audio_file_id: 180 },
    });
  });

  it('to a join: the result is that long', () => {
    const tool = requireTool('join_audio');
    expect(tool.planWindow?.(tool.parseOptions({ crossfade_ms: 1500 }), 180)).toEqual({
      joined: { field: 'file_ids', overlapSeconds: 1.5 },
    });
  });
});
