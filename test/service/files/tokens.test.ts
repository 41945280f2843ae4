import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokens, createTokensWith } from '../../../src/service/tokens.ts';

const tokens = createTokensWith('a secret for this test');
const now = new Date('2026-11-21T12:00:00Z');
const later = new Date('2026-11-21T12:15:00Z');

test('says what it was made for, until its time', () => {
  const token = tokens.sign('upload', 'file_abc', later);
  expect(token).toMatch(/^[\w-]+\.[\w-]{43}$/);
  expect(tokens.read('upload', token, now)).toEqual({ ok: true, id: 'file_abc', expiresAt: later });
  expect(tokens.read('upload', token, new Date(later.getTime() - 1))).toMatchObject({ ok: true });
  expect(tokens.read('upload', token, later)).toEqual({ ok: false, reason: 'expired' });
  expect(tokens.read('download', token, now)).toEqual({ ok: false, reason: 'forged' });
  expect(createTokensWith('another secret').read('upload', token, now)).toEqual({ ok: false, reason: 'forged' });
});

test('any change makes it worthless', () => {
  const token = tokens.sign('download', 'file_abc', later);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=%~';
  fc.assert(
    fc.property(
      fc.nat(token.length),
      fc.constantFrom(...alphabet.split('')),
      fc.constantFrom('replace', 'insert', 'remove'),
      (at, character, how) => {
        const changed =
          token.slice(0, at) + (how === 'remove' ? '' : character) + token.slice(how === 'insert' ? at : at + 1);
        fc.pre(changed !== token);
        expect(tokens.read('download', changed, now)).toEqual({ ok: false, reason: 'forged' });
      },
    ),
    { seed: 20_260_104, numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (junk) => {
      expect(tokens.read('download', junk, now)).toEqual({ ok: false, reason: 'forged' });
    }),
    { seed: 20_260_105 },
  );
});

test('the secret is made once', async () => {
  const kept = new Map<string, string>();
  const settings = {
    getOrCreate: (name: string, make: () => string) =>
      Promise.resolve(kept.get(name) ?? (kept.set(name, make()), kept.get(name) ?? '')),
  };
  const token = (await createTokens(settings)).sign('upload', 'file_abc', later);
  expect((await createTokens(settings)).read('upload', token, now)).toMatchObject({ ok: true });
  expect([...kept.values()][0]?.length).toBeGreaterThanOrEqual(43);
});
