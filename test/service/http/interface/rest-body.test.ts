import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { requireTool } from '../../../../src/library/tools/registry.ts';
import { offeredTools as tools } from '../../../../src/service/offers/offers.ts';
import { restBodySchema, splitBody, splitJobBody } from '../../../../src/service/http/interface/rest-body.ts';

interface Schema {
  readonly properties: Readonly<Record<string, Schema & Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
  readonly [keyword: string]: unknown;
}
const schemaOf = (id: string): Schema => restBodySchema(requireTool(id, tools)) as unknown as Schema;
/** As the HTTP layer compiles it, with the one keyword of ours. */
const accepts = (id: string, body: unknown): boolean =>
  new Ajv({ strict: true, strictRequired: false, keywords: ['x-open-point'] }).validate(
    restBodySchema(requireTool(id, tools)),
    body,
  );

function refusal(call: () => unknown): EarshotError {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was refused');
}

const [a, b] = ['file_Aa0', 'file_Bb1'];
const key = { idempotency_key: 'k1' };

/** A body as small as it may be, per tool. */
const smallest: Readonly<Record<string, Record<string, unknown>>> = {
  analyze_audio: { file_id: a },
  check_audio: { file_id: a },
  adjust_loudness: { file_id: a, ...key },
  convert_audio: { file_id: a, ...key },
  change_speed: { file_id: a, ...key },
  label_audio: { file_id: a, ...key },
  cut_audio: { file_id: a, ranges: [[0, 1]], ...key },
  remove_silence: { file_id: a, ...key },
  remove_noise: { file_id: a, ...key },
  join_audio: { file_ids: [a, b], ...key },
  replace_audio: { video_file_id: a, audio_file_id: b, ...key },
  level_speakers: { file_id: a, ...key },
  mix_tracks: { tracks: [{ file_id: a }, { file_id: b, role: 'music', volume_db: -6 }], ...key },
  enhance_voice: { file_id: a, ...key },
  transcribe_audio: { file_id: a, ...key },
  align_recordings: { file_ids: [a, b], ...key },
  align_script: { file_id: a, text: 'Hello', ...key },
  burn_captions: { file_id: a, captions_file_id: b, ...key },
  redact_audio: { file_id: a, ...key },
  remove_fillers: { file_id: a, ...key },
};

describe.each(tools.map((tool) => [tool.id, tool] as const))('%s', (id, tool) => {
  const body = { tool: id, ...smallest[id] };

  it('takes its smallest body, by schema and by splitting', () => {
    expect(accepts(id, body)).toBe(true);
    const split = splitBody(tool, body);
    expect(Object.keys(split.inputs).length).toBeGreaterThan(0);
    expect(split).toMatchObject({
      idempotencyKey: 'idempotency_key' in body ? 'k1' : null,
      maxCredits: null,
      free: undefined,
    });
    expect(Object.isFrozen(split.options)).toBe(true);
  });

  it('is one closed object, described field by field', () => {
    const schema = schemaOf(id);
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const [name, property] of Object.entries(schema.properties))
      expect(property['description'], name).toBeTruthy();
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it.each([
    ...Object.keys(smallest[id] ?? {})
      .filter((name) => name !== 'idempotency_key')
      .map((missing) => ({ [missing]: undefined })),
    { colour: 'red' },
    { tool: 'mix' },
    { file_id: 'file_ab-1' },
    { file_id: `file_${'a'.repeat(96)}` },
    { max_credits: 0 },
    { max_credits: 1.5 },
    { free: 'yes' },
    { idempotency_key: '' },
    { idempotency_key: 'k'.repeat(201) },
  ])('refuses %j, by schema and by splitting', (change) => {
    const changed = JSON.parse(JSON.stringify({ ...body, ...change })) as unknown;
    expect(accepts(id, changed)).toBe(false);
    const thrown = refusal(() => splitBody(tool, changed));
    expect(thrown.code).toBe('bad_request');
    expect(Object.keys(thrown.details ?? {}).sort()).toEqual(['expected', 'field', 'received']);
  });
});

describe('schemas', () => {
  it('carry ranges and defaults of the interface', () => {
    expect(schemaOf('cut_audio').properties['ranges']).toMatchObject({
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'number', minimum: 0, maximum: 36_000 } },
    });
    expect(schemaOf('join_audio').properties['file_ids']).toMatchObject({
      minItems: 2,
      maxItems: 20,
      items: { type: 'string', maxLength: 100, pattern: '^file_[0-9A-Za-z]+$' },
    });
    expect(schemaOf('level_speakers').properties['track_file_ids']).toMatchObject({ minItems: 2, maxItems: 10 });
    expect(schemaOf('remove_silence').properties['min_pause_seconds']).toMatchObject({
      minimum: 0.3,
      maximum: 5,
      default: 0.7,
    });
  });

  it('of analyze_audio has file_id, detail and tool, and nothing else', () => {
    expect(Object.keys(schemaOf('analyze_audio').properties).sort()).toEqual(['detail', 'file_id', 'tool']);
  });

  it('merge the files of mix_tracks into one list, and mark what the interface does not show', () => {
    const { properties } = schemaOf('mix_tracks');
    expect(properties['tracks']).toMatchObject({
      minItems: 2,
      maxItems: 20,
      items: {
        required: ['file_id'],
        additionalProperties: false,
        properties: { file_id: {}, role: { default: 'voice' }, volume_db: { minimum: -60, maximum: 20, default: 0 } },
      },
    });
    const marked = (id: string): string[] =>
      Object.entries(schemaOf(id).properties)
        .filter(([, property]) => property['x-open-point'] === true)
        .map(([name]) => name)
        .sort();
    expect(marked('mix_tracks')).toEqual(['custom_lufs', 'duck', 'output_format', 'target', 'track', 'tracks']);
    expect(marked('level_speakers')).toEqual(['output_format', 'preview_from', 'track']);
    expect(marked('remove_fillers')).toEqual([
      'breaths',
      'coughs',
      'fillers',
      'keep_encoding',
      'mouth_clicks',
      'preview_from',
      'stutters',
      'track',
    ]);
    // What the contract shows of each tool is not marked, and everything else is.
    const shown: Readonly<Record<string, string>> = {
      remove_noise: 'auto_volume file_id noise_reduction output_format',
      enhance_voice: 'auto_volume file_id noise_reduction output_format',
      transcribe_audio: 'file_id language speaker_labels verbatim',
      align_script: 'file_id script_file_id text',
      cut_audio: 'crossfade_ms file_id mode output ranges',
      remove_silence: 'file_id keep_seconds min_pause_seconds',
      adjust_loudness: 'custom_lufs file_id output_format target',
      convert_audio: 'bitrate_kbps channels file_id format sample_rate',
      join_audio: 'crossfade_ms file_ids match_loudness output_format',
      replace_audio: 'audio_file_id offset_seconds video_file_id',
      analyze_audio: 'detail file_id',
      remove_fillers: 'cut_ids dry_run file_id language repeats transcript_file_id',
      level_speakers: 'custom_lufs file_id target track_file_ids',
    };
    const common = new Set(['tool', 'idempotency_key', 'max_credits', 'free']);
    for (const [id, fields] of Object.entries(shown)) {
      const own = Object.keys(schemaOf(id).properties).filter((name) => !common.has(name));
      expect([id, own.filter((name) => !marked(id).includes(name)).sort()]).toEqual([id, fields.split(' ')]);
    }
  });

  it.each([
    ['align_script', { file_id: a, ...key }],
    ['align_script', { file_id: a, text: 'x', script_file_id: b, ...key }],
    ['level_speakers', key],
    ['level_speakers', { file_id: a, track_file_ids: [a, b], ...key }],
    ['level_speakers', { track_file_ids: [a], ...key }],
    ['remove_fillers', { file_id: a, cut_ids: ['c1'], ...key }],
    ['mix_tracks', { tracks: [{ file_id: a }, { role: 'voice' }], ...key }],
    ['mix_tracks', { tracks: [{ file_id: a, pan: 1 }, { file_id: b }], ...key }],
    ['cut_audio', { file_id: a, ranges: [[0, 1, 2]], ...key }],
    ['join_audio', { file_ids: [a], ...key }],
    ['transcribe_audio', { file_id: a, language: 'german', ...key }],
  ])('%s refuses %j', (id, rest) => {
    const body = { tool: id, ...rest };
    expect(accepts(id, body)).toBe(false);
    expect(refusal(() => splitBody(requireTool(id, tools), body)).code).toBe('bad_request');
  });

  it.each([
    ['align_script', { file_id: a, script_file_id: b, ...key }],
    ['level_speakers', { track_file_ids: [a, b], ...key }],
    ['remove_fillers', { file_id: a, transcript_file_id: b, cut_ids: ['c1', 'c99999'], ...key }],
  ])('%s takes %j', (id, rest) => {
    const body = { tool: id, ...rest };
    expect(accepts(id, body)).toBe(true);
    expect(splitBody(requireTool(id, tools), body).inputs).toMatchObject(
      Object.fromEntries(
        Object.entries(rest)
          .filter(([name]) => name.includes('file_id'))
          .map(([name, value]) => [name, [value].flat()]),
      ),
    );
  });
});

describe('splitting', () => {
  it('separates files, options and common fields, and fills in defaults', () => {
    const body = {
      tool: 'mix_tracks',
      tracks: [
        { file_id: a, volume_db: -3 },
        { file_id: b, role: 'music' },
      ],
      duck: true,
      max_credits: 7,
      free: false,
      ...key,
    };
    expect(splitJobBody(body)).toEqual({
      tool: 'mix_tracks',
      inputs: { tracks: [a, b] },
      options: {
        tracks: [
          { role: 'voice', volume_db: -3 },
          { role: 'music', volume_db: 0 },
        ],
        duck: true,
        target: 'podcast',
        output_format: 'same',
      },
      idempotencyKey: 'k1',
      maxCredits: 7,
      free: false,
    });
  });

  it('takes the key from the header where the body has none, and refuses two that differ', () => {
    const tool = requireTool('convert_audio', tools);
    const body = { tool: 'convert_audio', file_id: a };
    expect(splitBody(tool, body, 'from-header').idempotencyKey).toBe('from-header');
    expect(splitBody(tool, { ...body, ...key }, 'k1').idempotencyKey).toBe('k1');
    expect(refusal(() => splitBody(tool, { ...body, ...key }, 'other')).message).toContain(
      'the same key as in the header',
    );
    expect(refusal(() => splitBody(tool, body, '')).details?.['field']).toBe('idempotency_key');
    // As the schema counts characters.
    expect(splitBody(tool, { ...body, idempotency_key: '😀'.repeat(200) }).idempotencyKey).toBe('😀'.repeat(200));
    expect(() => splitBody(tool, { ...body, idempotency_key: '😀'.repeat(201) })).toThrow(/1 to 200 characters/);
    // Nor does a refusal send a name of any length back.
    expect(refusal(() => splitBody(tool, { ...body, ['x'.repeat(100_000)]: 1 })).message.length).toBeLessThan(1000);
    expect(
      splitBody(requireTool('analyze_audio', tools), { tool: 'analyze_audio', file_id: a }).idempotencyKey,
    ).toBeNull();
  });

  it('needs a key from the body or the header, which the schema cannot know', () => {
    const body = { tool: 'convert_audio', file_id: a };
    expect(accepts('convert_audio', body)).toBe(true);
    expect(refusal(() => splitJobBody(body)).details?.['field']).toBe('idempotency_key');
    expect(splitJobBody(body, 'k1').idempotencyKey).toBe('k1');
  });

  it('names an unknown field and suggests the near one', () => {
    expect(
      refusal(() =>
        splitBody(requireTool('convert_audio', tools), { tool: 'convert_audio', file_id: a, bitrate: 3, ...key }),
      ).message,
    ).toBe('Unknown field bitrate for convert_audio; did you mean bitrate_kbps?');
  });

  it('refuses a body that is no object, and a tool that does not exist or is called by its slug', () => {
    for (const body of [null, [], 'x', 3])
      expect(refusal(() => splitJobBody(body)).message).toMatch(/^Expected object for body/);
    expect(refusal(() => splitJobBody({})).message).toMatch(
      /^Expected one of analyze_audio, .* for tool but received nothing/,
    );
    expect(refusal(() => splitJobBody({ tool: 'cut' })).code).toBe('bad_request');
  });

  it('says that a script is too long with the code for it', () => {
    const tool = requireTool('align_script', tools);
    const longest = 2_097_152;
    expect(
      splitBody(tool, { tool: 'align_script', file_id: a, text: 'x'.repeat(longest), ...key }).options['text'],
    ).toHaveLength(longest);
    expect(
      refusal(() => splitBody(tool, { tool: 'align_script', file_id: a, text: 'x'.repeat(longest + 1), ...key })).code,
    ).toBe('text_too_long');
  });
});
