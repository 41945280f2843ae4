import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { getTypeParser, parseTimestamp } from '../../../../../src/service/adapters/postgres/database/type-parsers.ts';
import { seeded } from '../../../../fixtures/random.ts';

const driver = pg.types.getTypeParser(1184, 'text') as (text: string) => Date;

describe('times of the database', () => {
  it.each([
    '2026-11-21 14:45:22.047392+00',
    '2026-11-21 14:45:22+00',
    '2026-11-21 14:45:22.5+00',
    '2024-02-29 23:59:59.999999+00',
    '1969-12-31 23:59:59.001+00',
    '1000-01-01 00:00:00+00',
    '9999-12-31 23:59:59.999+00',
    '2026-11-21 14:45:22.047392+05:30',
    '2026-11-21 14:45:22-08',
    '0044-03-15 12:00:00+00 BC',
    '0099-01-01 00:00:00+00',
    '12026-01-01 00:00:00+00',
    'infinity',
    '-infinity',
  ])('%s is what the driver reads', (text) => {
    expect(Number(parseTimestamp(text))).toBe(Number(driver(text)));
  });

  it('agrees with the driver on any time of ten thousand years', () => {
    const seed = Number(process.env['SEED'] ?? 20261121);
    console.log(`seed ${seed}`);
    const random = seeded(seed);
    for (let run = 0; run < 20_000; run += 1) {
      const at = new Date(Date.UTC(1000, 0) + random() * (Date.UTC(9999, 0) - Date.UTC(1000, 0)));
      const fraction = String(Math.floor(random() * 1e6))
        .padStart(6, '0')
        .replace(/0+$/, '');
      const text = `${at.toISOString().slice(0, 19).replace('T', ' ')}${fraction === '' ? '' : `.${fraction}`}+00`;
      expect([text, parseTimestamp(text).getTime()]).toEqual([text, driver(text).getTime()]);
    }
  });
});

describe('whole numbers of the database', () => {
  const parse = getTypeParser(20, 'text') as (text: string) => number;
  it('are numbers while they are exact, and refused beyond', () => {
    expect(parse('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => parse('9007199254740992')).toThrow(/9007199254740992/);
  });
});
