import { expect, it } from 'vitest';
import { nameKey } from '../../../src/library/runtime/files/output-names.ts';

it.each([
  ['Talk.WAV', 'talk.wav'],
  ['ÜBER.mp3', 'u\u0308ber.mp3'],
  ['ΛΟΓΟΣ', 'λογος'],
  ['ΛΟΓΟΣ', 'λογοσ'],
])('%s and %s are one name', (one, other) => expect(nameKey(one)).toBe(nameKey(other)));

it('other names are others', () => expect(nameKey('talk-1.wav')).not.toBe(nameKey('talk-2.wav')));
