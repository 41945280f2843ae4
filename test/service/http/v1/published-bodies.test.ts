// What is published of job bodies, held against what the server takes: a tool's `input` in GET /api/v1/tools says it
// exactly; openapi.json leaves the rules between fields to its descriptions, since generators of clients lose a
// schema's fields beside conditions.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { requireTool } from '../../../../src/library/tools/registry.ts';
import { offeredTools } from '../../../../src/service/offers/offers.ts';
import { restBodySchema, splitJobBody } from '../../../../src/service/http/interface/rest-body.ts';
import { openApiDocument } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const seed = Number(process.env['SEED'] ?? 20_261_122);
const fileId = fc.constantFrom('file_Aa0', 'file_Bb1', 'file_');
const fileIds = fc.array(fileId, { minLength: 1, maxLength: 11 });
/** What no field is. */
const odd = fc.constantFrom<unknown>(null, '', 'x', 0, -1, 1.5, 1e300, true, [], {}, [null]);
const number = (...edges: number[]): fc.Arbitrary<unknown> =>
  fc.constantFrom(...edges.flatMap((edge) => [edge - 0.5, edge, edge + 0.5, edge + 1]));
/** Mostly left out, sometimes nonsense. */
const field = (value: fc.Arbitrary<unknown>, oddWeight = 1): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 8, arbitrary: value },
    { weight: oddWeight, arbitrary: odd },
  );
const given = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 30, arbitrary: value },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
const rare = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const common = {
  idempotency_key: rare(fc.oneof(fc.constantFrom('k', '', '😀'.repeat(200), 'k'.repeat(201), '\ud800'), odd)),
  max_credits: rare(fc.oneof(number(0, 1, Number.MAX_SAFE_INTEGER), odd)),
  free: rare(fc.oneof(fc.boolean(), odd)),
  colour: rare(odd),
};
const target = field(fc.constantFrom('podcast', 'streaming', 'broadcast', 'audiobook', 'custom', 'custom', 'custom'));
const loudness = {
  target,
  custom_lufs: field(number(-30, -16, -5)),
  output_format: field(fc.constantFrom('same', 'wav', 'mp3', 'm4a', 'flac', 'ogg')),
};
const whole = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const track = fc
  .record({
    file_id: fc.constantFrom('file_Aa0', 'file_Bb1'),
    role: field(fc.constantFrom('voice', 'music', 'effects'), 0),
    volume_db: field(fc.constantFrom(-60, 0, 20), 0),
  })
  .map(whole);
const oddTrack = fc
  .record({
    file_id: given(fileId),
    role: field(fc.constantFrom('voice', 'music', 'effects', 'noise')),
    volume_db: field(number(-60, 0, 20)),
    pan: rare(fc.constantFrom(0, 1)),
  })
  .map(whole);
const bodies: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  adjust_loudness: { file_id: given(fileId), ...loudness },
  convert_audio: {
    file_id: given(fileId),
    format: field(fc.constantFrom('mp3', 'wav', 'm4a', 'flac', 'ogg', 'opus', 'aiff')),
    bitrate_kbps: field(number(15, 16, 128, 320)),
    sample_rate: rare(fc.constantFrom(8000, 44_100, 96_000, '8000')),
    channels: rare(fc.constantFrom('mono', 'stereo', 'both')),
  },
  level_speakers: { file_id: field(fileId), track_file_ids: field(fileIds), ...loudness },
  mix_tracks: {
    // Few of the lists have an item that is wrong, or there would hardly be one that is right.
    tracks: given(
      fc.oneof(
        { weight: 3, arbitrary: fc.array(track, { minLength: 1, maxLength: 21 }) },
        { weight: 1, arbitrary: fc.array(oddTrack, { minLength: 2, maxLength: 3 }) },
      ),
    ),
    duck: field(fc.boolean()),
    ...loudness,
  },
};

/** With a key in the header where the body has none. */
function serverTakes(body: Readonly<Record<string, unknown>>): boolean {
  try {
    splitJobBody(body, 'idempotency_key' in body ? null : 'from-header');
    return true;
  } catch (thrown) {
    if (thrown instanceof EarshotError && thrown.code === 'bad_request') return false;
    throw thrown;
  }
}

let published: ValidateFunction;
let components: { readonly schemas: Readonly<Record<string, object>> };
const inputOf = (tool: string): ValidateFunction =>
  new Ajv2020({ strict: true, strictRequired: false, keywords: ['x-open-point'] }).compile(
    restBodySchema(requireTool(tool, offeredTools)),
  );
beforeAll(async () => {
  const { paths, ...rest } = await openApiDocument();
  components = rest.components;
  const ajv = new Ajv2020({ strict: true, strictRequired: false, keywords: ['x-open-point'] });
  ajv.addVocabulary(['components', 'discriminator']);
  const { content } = paths['/api/v1/jobs']!['post']!.requestBody as unknown as {
    content: { 'application/json': { schema: object } };
  };
  const { discriminator: _, ...schema } = content['application/json'].schema as { discriminator?: unknown };
  const names = Object.keys(components.schemas).filter((name) => name.endsWith('Job'));
  const schemas = Object.fromEntries(names.map((name) => [name, components.schemas[name]]));
  published = ajv.compile({ ...schema, components: { schemas } });
});

it.each(Object.entries(bodies))('%s: its input takes what the server takes, and nothing else', slow, (tool, fields) => {
  const input = inputOf(tool);
  let taken = 0;
  const runs = 3000;
  fc.assert(
    fc.property(fc.record({ ...fields, ...common }), (made) => {
      const body = { tool, ...(whole(made) as Record<string, unknown>) };
      const expected = serverTakes(body);
      if (expected) taken++;
      expect(input(body), JSON.stringify(input.errors)).toBe(expected);
      if (expected) expect(published(body), JSON.stringify(published.errors)).toBe(true);
    }),
    { seed, numRuns: runs },
  );
  // Both directions were tried.
  expect(taken).toBeGreaterThan(runs / 100);
  expect(taken).toBeLessThan(runs * 0.9);
});

it.each([
  ['adjust_loudness', { file_id: 'file_a', target: 'custom' }, false],
  ['adjust_loudness', { file_id: 'file_a', target: 'custom', custom_lufs: -19 }, true],
  ['adjust_loudness', { file_id: 'file_a', custom_lufs: -19 }, false],
  ['convert_audio', { file_id: 'file_a', bitrate_kbps: 64 }, true],
  ['convert_audio', { file_id: 'file_a', format: 'flac', bitrate_kbps: 64 }, false],
  ['convert_audio', { file_id: 'file_a', format: 'opus', bitrate_kbps: 64 }, true],
])('%s %j: %s', (tool, rest, expected) => {
  const body = { tool, ...rest };
  expect([inputOf(tool)(body), serverTakes(body), published(body)]).toEqual([expected, expected, true]);
});

it('has nothing in the document by which generators of clients lose fields or null', () => {
  const walk = (value: unknown, place: string): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : [
          ...('properties' in value && 'type' in value && Array.isArray(value.type)
            ? [`${place}: object or null`]
            : []),
          ...('additionalProperties' in value && value.additionalProperties === false ? [`${place}: closed`] : []),
          ...Object.entries(value).flatMap(([name, inner]) => walk(inner, `${place}/${name}`)),
        ];
  expect(walk(components, '')).toEqual([]);
});

it('has no conditions beside the fields of an object in the document, and says them', () => {
  const conditions = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'dependentRequired', 'dependentSchemas'];
  const walk = (value: unknown, place: string): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const beside = 'properties' in value && typeof value.properties === 'object' && 'type' in value;
    return [
      ...(beside ? conditions.filter((name) => name in value).map((name) => `${place}: ${name}`) : []),
      ...Object.entries(value).flatMap(([name, inner]) => walk(inner, `${place}/${name}`)),
    ];
  };
  expect(walk(components, '')).toEqual([]);
  expect(components.schemas['LevelSpeakersJob']).toMatchObject({
    description:
      'Give exactly one of file_id and track_file_ids. custom_lufs is needed with target custom, and only then.',
  });
});
