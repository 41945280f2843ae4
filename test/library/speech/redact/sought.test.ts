// What is found in texts. Numbers of cards and accounts are those that their issuers publish for tests.
import { describe, expect, it } from 'vitest';
import { patternKinds, type PatternKind, type WordMatch } from '../../../../src/library/contract/sought.ts';
import { passesLuhn, passesMod97 } from '../../../../src/library/speech/redact/number-kinds.ts';
import { openFinder } from '../../../../src/library/speech/redact/sought.ts';

async function found(
  language: string,
  text: string,
  { words = [], match = 'words', patterns = [] }: { words?: string[]; match?: WordMatch; patterns?: PatternKind[] },
): Promise<string[]> {
  const finder = await openFinder({ words, match, patterns }, language);
  const said = text.split(' ').map((word) => ({ text: word }));
  return finder.find(said).map(({ kind, from, to, checked }) => {
    const run = said.slice(from, to).map((word) => word.text);
    return `${kind}${checked === false ? '?' : ''}: ${run.join(' ')}`;
  });
}
const numbers = (language: string, text: string): Promise<string[]> =>
  found(language, text, { patterns: [...patternKinds] });

describe('words', () => {
  it('are found in any case, with or without accents, hyphens and spaces, and with a possessive', async () => {
    const text = "Miller's and Müller and Mueller, NEW-YORK, New York, Newyork, everyone and every one, millers";
    expect(await found('en', text, { words: ['miller', 'Müller', 'new york', 'everyone'] })).toEqual([
      "word: Miller's",
      'word: Müller',
      'word: Mueller,',
      'word: NEW-YORK,',
      'word: New York,',
      'word: Newyork,',
      'word: everyone',
      'word: every one,',
    ]);
  });

  it('are found where the recogniser spells the same sound otherwise', async () => {
    expect(await found('en', 'So Anne Tailor met Mister Smyth there', { words: ['Ann Taylor', 'Smith'] })).toEqual([
      'word: Anne Tailor',
    ]);
    expect(await found('de', 'Das sagte Frau Maier gestern', { words: ['Meyer'] })).toEqual(['word: Maier']);
  });

  it('have plurals and cases only where they are asked for', async () => {
    const text = 'the cities and the city, boxes of a box';
    expect(await found('en', text, { words: ['city', 'box'] })).toEqual(['word: city,', 'word: box']);
    const all = ['word: cities', 'word: city,', 'word: boxes', 'word: box'];
    expect(await found('en', text, { words: ['city', 'box'], match: 'forms' })).toEqual(all);
  });

  it('are found within German compounds only where parts are asked for', async () => {
    const text = 'die Kreditkartennummer und ihre Kreditkarten, die Hauskarte';
    expect(await found('de', text, { words: ['Kreditkarte'], match: 'forms' })).toEqual(['word: Kreditkarten,']);
    expect(await found('de', text, { words: ['Kreditkarte'], match: 'parts' })).toEqual([
      'word: Kreditkartennummer',
      'word: Kreditkarten,',
    ]);
  });

  it('are found beside codes that are longer than any word', async () => {
    const codes = Array.from({ length: 30 }, (_, at) => `${at}${'a1'.repeat(700)}`).join(' ');
    expect(await found('en', `${codes} Tailor ${'a1'.repeat(15_000)}`, { words: ['Taylor'] })).toEqual([
      'word: Tailor',
    ]);
  });

  it('are found in scripts without spaces, by their letters', async () => {
    expect(await found('ja', 'これは 田中さん です', { words: ['田中'] })).toEqual(['word: 田中さん']);
  });

  it('are not found in others that only begin alike', async () => {
    expect(
      await found('en', 'Millers, anew, Yorkshire and every other one', { words: ['miller', 'new york', 'everyone'] }),
    ).toEqual([]);
  });
});

describe('numbers', () => {
  it('of cards are found as they are written and as they are said, by their check digit', async () => {
    const said = 'four one one one, one one one one, one one one one, double one double one';
    expect(await numbers('en', `It is 4111 1111 1111 1111, or 3782-822463-10005. Or ${said} then`)).toEqual([
      'card: 4111 1111 1111 1111,',
      'card: 3782-822463-10005.',
      `card: ${said}`,
    ]);
    // A digit is misheard: the check digit does not hold, and it is taken all the same.
    expect(await numbers('en', 'It is 4111 1111 1111 1112 now')).toEqual(['card?: 4111 1111 1111 1112']);
  });

  it('of accounts are found by their length and remainder', async () => {
    expect(await numbers('de', 'Die IBAN ist DE89 3704 0044 0532 0130 00 bei der Bank')).toEqual([
      'iban: DE89 3704 0044 0532 0130 00',
    ]);
    expect(await numbers('en', 'It is G B 29 NWBK6 016 1331 9268 19.')).toEqual([
      'iban: G B 29 NWBK6 016 1331 9268 19.',
    ]);
  });

  it('of phones are found with and without a country, written and spoken', async () => {
    expect(
      await numbers('en', 'Call (555) 010-1234 or plus four four twenty seven nine four six oh nine five eight'),
    ).toEqual(['phone: (555) 010-1234', 'phone: plus four four twenty seven nine four six oh nine five eight']);
    expect(await numbers('de', 'Rufen Sie null eins sieben sechs einundzwanzig zweiunddreißig vier fünf an')).toEqual([
      'phone: null eins sieben sechs einundzwanzig zweiunddreißig vier fünf',
    ]);
  });

  it('of phones are found beside a date or an amount in the same run', async () => {
    expect(await numbers('en', 'since 12/05/2026 555 010 1234 please')).toEqual(['phone: 555 010 1234']);
    expect(await numbers('en', 'for $2,500.75, 555 010 1234, please')).toEqual(['phone: 555 010 1234,']);
    expect(await numbers('en', 'it is 800 000 1234 and 1 200 000 people, five thousand three hundred')).toEqual([
      'phone: 800 000 1234',
    ]);
    expect(await numbers('fr', 'les 12 000 000 habitants')).toEqual([]);
  });

  it('that count, and years, are none', async () => {
    expect(await numbers('en', 'In 2019 2020 there were 1,200,000 people and 350 more for $2,500.75')).toEqual([]);
    expect(await found('en', 'made by Lavf59.27.100 then', { patterns: ['phone'] })).toEqual([]);
  });

  it('are all found where they follow one another: accounts, cards and phones', async () => {
    const text = 'It is DE89 3704 0044 0532 0130 00 4111 1111 1111 1111 GB29 NWBK 6016 1331 9268 19';
    expect(await numbers('en', text)).toEqual([
      'iban: DE89 3704 0044 0532 0130 00',
      'card: 4111 1111 1111 1111',
      'iban: GB29 NWBK 6016 1331 9268 19',
    ]);
    expect(await found('en', 'Call 0171 2345678, 0172 3456789 today', { patterns: ['phone'] })).toEqual([
      'phone: 0171 2345678, 0172 3456789',
    ]);
  });

  it('check digits hold for published numbers and for none with a digit changed', () => {
    expect(['4111111111111111', '378282246310005', '5555555555554444'].map(passesLuhn)).toEqual([true, true, true]);
    expect(passesLuhn('4111111111111121')).toBe(false);
    expect(
      ['DE89370400440532013000', 'GB29NWBK60161331926819', 'FR1420041010050500013M02606'].map(passesMod97),
    ).toEqual([true, true, true]);
    expect(passesMod97('DE89370400440532013001')).toBe(false);
  });
});

describe('addresses', () => {
  it('of mail and pages are found as they are written and as they are said', async () => {
    const spoken = 'john dot smith at example dot com';
    expect(
      await numbers('en', `Write to ${spoken} please, or jane@doe.org. See www.example.com and example dot co dot uk`),
    ).toEqual([`email: ${spoken}`, 'email: jane@doe.org.', 'web: www.example.com', 'web: example dot co dot uk']);
    expect(await numbers('de', 'Mail an max Punkt muster ät web Punkt de')).toEqual([
      'email: max Punkt muster ät web Punkt de',
    ]);
  });

  it('of houses are found with their post code and town', async () => {
    expect(
      await numbers('en', 'I live at 12 Old Main Street, Springfield, IL 62701, near it. At twenty one Baker Street.'),
    ).toEqual(['address: 12 Old Main Street, Springfield, IL 62701,', 'address: twenty one Baker Street.']);
    expect(await numbers('de', 'Ich wohne in der Hauptstraße 12, 10115 Berlin, und er nicht')).toEqual([
      'address: Hauptstraße 12, 10115 Berlin,',
    ]);
    expect(await numbers('fr', 'J’habite au 12, rue de la Paix, 75002 Paris.')).toEqual([
      'address: 12, rue de la Paix, 75002 Paris.',
    ]);
  });

  it.each(['@ ', 'dot ', 'a dot ', '@ dot '])(
    'of texts of "%s" alone take time that grows with their length',
    async (unit) => {
      const finder = await openFinder({ words: [], match: 'words', patterns: ['email', 'web'] }, 'en');
      const said = unit
        .repeat(100_000)
        .trim()
        .split(' ')
        .map((text) => ({ text }));
      // Half a second; with time that grows with the square it is over three minutes.
      expect(finder.find(said)).toEqual([]);
    },
    60_000,
  );
});
