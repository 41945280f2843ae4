import fc from 'fast-check';
import * as Type from 'typebox/type';
import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { closestName } from '../../../../src/library/core/checks/names.ts';
import {
  createOptionsParser,
  describeExpected,
  type OptionSchema,
  type OptionsSource,
} from '../../../../src/library/core/checks/schema.ts';
import { slow } from '../../../fixtures/rounds.ts';

const schema = Type.Object(
  {
    noise_reduction: Type.Optional(Type.Integer({ minimum: 10, maximum: 100, default: 100 })),
    auto_volume: Type.Optional(Type.Boolean({ default: true })),
    output_format: Type.Optional(Type.Enum(['same', 'wav'], { default: 'same' })),
    sample_rate: Type.Optional(Type.Enum([8000, 16000])),
    keep_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    language: Type.Optional(Type.String({ pattern: '^[a-z]{2,3}$' })),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
    ranges: Type.Optional(
      Type.Array(Type.Tuple([Type.Number({ minimum: 0 }), Type.Number()]), { minItems: 1, maxItems: 2 }),
    ),
    tracks: Type.Optional(
      Type.Array(
        Type.Object(
          { role: Type.Enum(['voice', 'music']), volume_db: Type.Optional(Type.Number({ default: 0 })) },
          { additionalProperties: false },
        ),
      ),
    ),
  },
  { additionalProperties: false },
);
const parse = createOptionsParser<Record<string, unknown>>('remove_noise', schema);

function failure(options: unknown, source: OptionsSource = 'json'): EarshotError {
  try {
    parse(options, source);
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown;
  }
  throw new Error(`${JSON.stringify(options)} was accepted or failed with no EarshotError`);
}

describe('options', () => {
  it('get their defaults, deeply frozen, and the caller keeps his object', () => {
    const given = { tracks: [{ role: 'voice' }], language: undefined };
    const parsed = parse(given, 'json');
    expect(parsed).toEqual({
      noise_reduction: 100,
      auto_volume: true,
      output_format: 'same',
      tracks: [{ role: 'voice', volume_db: 0 }],
    });
    expect(Object.isFrozen(parsed)).toBe(true);
    expect(Object.isFrozen((parsed['tracks'] as object[])[0])).toBe(true);
    expect(given).toEqual({ tracks: [{ role: 'voice' }], language: undefined });
  });

  it.each<[string, unknown, string]>([
    [
      'below a range',
      { noise_reduction: 5 },
      'Expected integer between 10 and 100 for noise_reduction but received 5 of type number',
    ],
    [
      'a fraction',
      { noise_reduction: 50.5 },
      'Expected integer between 10 and 100 for noise_reduction but received 50.5 of type number',
    ],
    [
      'text for a number',
      { noise_reduction: '50' },
      'Expected integer between 10 and 100 for noise_reduction but received 50 of type string',
    ],
    [
      'text for a boolean',
      { auto_volume: 'yes' },
      'Expected true or false for auto_volume but received yes of type string',
    ],
    [
      'outside a list',
      { output_format: 'ogg' },
      'Expected one of same, wav for output_format but received ogg of type string',
    ],
    [
      'a pattern',
      { language: 'english' },
      'Expected string matching ^[a-z]{2,3}$ for language but received english of type string',
    ],
    [
      'too long',
      { text: '123456' },
      'Expected string of 1 to 5 characters for text but received 123456 of type string',
    ],
    ['empty', { text: '' }, "Expected string of 1 to 5 characters for text but received '' of type string"],
    ['null', { keep_seconds: null }, 'Expected number between 0 and 1 for keep_seconds but received null'],
    [
      'no number',
      { keep_seconds: Number.NaN },
      'Expected number between 0 and 1 for keep_seconds but received NaN of type number',
    ],
    [
      'an inner value',
      {
        ranges: [
          [0, 1],
          [-1, 2],
        ],
      },
      'Expected number of at least 0 for ranges[1][0] but received -1 of type number',
    ],
    ['a missing inner value', { tracks: [{}] }, 'Expected one of voice, music for tracks[0].role but received nothing'],
    [
      'too many items',
      {
        ranges: [
          [0, 1],
          [1, 2],
          [2, 3],
        ],
      },
      'Expected list of 1 to 2 items, each [number of at least 0, number] for ranges but received ' +
        '[[0,1],[1,2],[2,3]] of type array',
    ],
    [
      'an unknown inner name',
      { tracks: [{ role: 'voice', volum_db: 1 }] },
      'Unknown option volum_db for tracks[0]; did you mean volume_db?',
    ],
    [
      'a near name',
      { noise_reducton: 50 },
      'Unknown option noise_reducton for remove_noise; did you mean noise_reduction?',
    ],
    ['a beginning', { noise: 50 }, 'Unknown option noise for remove_noise; did you mean noise_reduction?'],
    ['no object', [], 'Expected object for the options of remove_noise but received [] of type array'],
    ['a function', { text: () => 1 }, 'Expected plain JSON values in the options of remove_noise'],
  ])('refused: %s', (_name, options, message) => {
    const thrown = failure(options);
    expect(thrown.message).toBe(message);
    expect(thrown.code).toBe('bad_request');
    expect(Object.keys(thrown.details ?? {})).toEqual(['field', 'expected', 'received']);
  });

  it('an unknown name far from all known ones lists them', () => {
    expect(failure({ zzz: 1 }).message).toBe(
      'Unknown option zzz for remove_noise; expected one of noise_reduction, auto_volume, output_format, ' +
        'sample_rate, keep_seconds, language, text, ranges, tracks',
    );
  });
});

describe('text form', () => {
  it('numbers, booleans and JSON arrays come as text', () => {
    const given = {
      noise_reduction: '50',
      auto_volume: 'false',
      sample_rate: '16000',
      keep_seconds: '.5',
      ranges: '[[0, 1.5]]',
      text: '12',
      language: 'en',
    };
    expect(parse(given, 'text')).toEqual({
      noise_reduction: 50,
      auto_volume: false,
      output_format: 'same',
      sample_rate: 16000,
      keep_seconds: 0.5,
      ranges: [[0, 1.5]],
      text: '12',
      language: 'en',
    });
  });

  it.each([
    [{ noise_reduction: '' }, "but received '' of type string"],
    [{ noise_reduction: '0x20' }, 'but received 0x20 of type string'],
    [{ noise_reduction: 'Infinity' }, 'but received Infinity of type string'],
    // Within milliseconds: reading it digit by digit from each digit on would take hours.
    [{ noise_reduction: `${'0'.repeat(1_000_000)}x` }, 'of type string'],
    [{ auto_volume: '1' }, 'but received 1 of type string'],
    [{ ranges: '[[0, 1' }, 'but received [[0, 1 of type string'],
  ])('text that does not fit stays text in the message: %j', (options, ending) => {
    expect(failure(options, 'text').message).toContain(ending);
  });

  it('agrees with the typed form for every integer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 100 }), (value) => {
        expect(parse({ noise_reduction: String(value) }, 'text')).toEqual(parse({ noise_reduction: value }, 'json'));
      }),
    );
  });

  it('never throws anything but bad_request, whatever comes', slow, () => {
    fc.assert(
      fc.property(
        fc.constantFrom<OptionsSource>('json', 'text'),
        fc.dictionary(fc.constantFrom(...Object.keys(schema.properties), 'x', '__proto__'), fc.anything()),
        (source, options) => {
          try {
            parse(options, source);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(EarshotError);
            expect((thrown as EarshotError).code).toBe('bad_request');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('words', () => {
  it.each<[OptionSchema, string]>([
    [{ type: 'number', minimum: 0 }, 'number of at least 0'],
    [{ type: 'number', maximum: 3 }, 'number of at most 3'],
    [{ type: 'integer', exclusiveMinimum: 0 }, 'integer above 0'],
    [{ type: 'array', minItems: 2, maxItems: 2 }, 'list of 2 items'],
    [{ anyOf: [{ type: 'string' }, { const: null }] }, 'string or null'],
  ])('%j', (given, words) => {
    expect(describeExpected(given)).toBe(words);
  });

  it('closestName answers undefined when nothing is near', () => {
    expect(closestName('bitrat', ['format', 'bitrate_kbps'])).toBe('bitrate_kbps');
    expect(closestName('targte', ['target', 'custom_lufs'])).toBe('target');
    expect(closestName('xyz', ['target'])).toBeUndefined();
  });

  it('closestName does not look at names that nobody types: megabytes would cost seconds', () => {
    const before = process.cpuUsage();
    expect(closestName('a'.repeat(3_000_000), ['bitrate_kbps', 'format', 'target'])).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(100);
    expect(closestName(`target${'t'.repeat(60)}`, ['target'])).toBeUndefined();
  });
});
