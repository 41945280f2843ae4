import { count } from '../../core/readable.ts';
import type { RedactAudioResult, RedactedKind } from './result.ts';

/** One of a kind, and several. */
export const kindNames: Readonly<Record<RedactedKind, readonly [one: string, many: string]>> = {
  word: ['word or phrase', 'words and phrases'],
  card: ['card number', 'card numbers'],
  iban: ['account number', 'account numbers'],
  phone: ['phone number', 'phone numbers'],
  email: ['mail address', 'mail addresses'],
  web: ['web address', 'web addresses'],
  address: ['postal address', 'postal addresses'],
  number: ['number', 'numbers'],
  speaker: ['stretch of a speaker', 'stretches of speakers'],
  range: ['range', 'ranges'],
};

/** "3 words and phrases, 1 card number" */
export function kindsInWords({ byKind }: Pick<RedactAudioResult, 'byKind'>): string {
  const parts = Object.entries(byKind).map(([kind, number]) => {
    const [one, many] = kindNames[kind as RedactedKind];
    return count(number, one, many);
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** In a line. */
export function verdictOf({ left = [], readings = 1 }: Pick<RedactAudioResult, 'left' | 'readings'>): string {
  const read = readings === 1 ? 'read again' : `read again ${readings} times`;
  return left.length === 0 ? `${read}: none is left` : `${read}: ${count(left.length, 'place')} left`;
}
