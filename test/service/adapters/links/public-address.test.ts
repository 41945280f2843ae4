import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { isPublicAddress } from '../../../../src/service/adapters/links/public-address.ts';
import { slow } from '../../../fixtures/rounds.ts';

const { check } = createLinkFetcher({
  network: {
    resolve: () => expect.unreachable('looking at a link must not use the network'),
    dial: () => expect.unreachable('looking at a link must not use the network'),
  },
});
const refusal = (url: string): unknown => {
  try {
    return check(url).href;
  } catch (thrown) {
    return (thrown as { code?: string }).code;
  }
};

type Octets = readonly [number, number, number, number];
const octet = fc.integer({ min: 0, max: 255 });
const anyIn = (first: number, second: fc.Arbitrary<number> = octet): fc.Arbitrary<Octets> =>
  fc.tuple(fc.constant(first), second, octet, octet);
const innerAddress: fc.Arbitrary<Octets> = fc.oneof(
  anyIn(127),
  anyIn(10),
  anyIn(0),
  anyIn(169, fc.constant(254)),
  anyIn(192, fc.constant(168)),
  anyIn(172, fc.integer({ min: 16, max: 31 })),
  anyIn(100, fc.integer({ min: 64, max: 127 })),
  anyIn(198, fc.integer({ min: 18, max: 19 })),
  fc.integer({ min: 224, max: 255 }).chain((first) => anyIn(first)),
);
const publicOctets: fc.Arbitrary<Octets> = fc.oneof(
  anyIn(8),
  anyIn(93, fc.constant(184)),
  anyIn(1, fc.constant(1)),
  anyIn(151, fc.constant(101)),
);

const number = ([a, b, c, d]: Octets): number => ((a * 256 + b) * 256 + c) * 256 + d;
const group = (high: number, low: number): string => (high * 256 + low).toString(16);
/** Every way that is known to spell an IPv4 address in a URL. */
const spellings: readonly ((octets: Octets) => string)[] = [
  (o) => o.join('.'),
  (o) => `${o.join('.')}.`,
  (o) => String(number(o)),
  (o) => `0x${number(o).toString(16)}`,
  (o) => `0${number(o).toString(8)}`,
  (o) => o.map((one) => `0x${one.toString(16)}`).join('.'),
  (o) => o.map((one) => `0${one.toString(8)}`).join('.'),
  ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  (o) => o.join('.').replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (o) => `[::ffff:${o.join('.')}]`,
  ([a, b, c, d]) => `[::ffff:${group(a, b)}:${group(c, d)}]`,
];
/** Ways to carry an IPv4 address through IPv6 that must be refused even for public ones. */
const tunnels: readonly ((octets: Octets) => string)[] = [
  (o) => `[::${o.join('.')}]`,
  (o) => `[64:ff9b::${o.join('.')}]`,
  ([a, b, c, d]) => `[2002:${group(a, b)}:${group(c, d)}::1]`,
  (o) => `[::ffff:0:${o.join('.')}]`,
  // Teredo, with the client's address turned over; ISATAP behind a public prefix, local and global.
  ([a, b, c, d]) => `[2001:0:4136:e378:8000:63bf:${group(a ^ 255, b ^ 255)}:${group(c ^ 255, d ^ 255)}]`,
  ([a, b, c, d]) => `[2606:4700:1:2:0:5efe:${group(a, b)}:${group(c, d)}]`,
  ([a, b, c, d]) => `[2606:4700:1:2:200:5efe:${group(a, b)}:${group(c, d)}]`,
];

describe('literal addresses', () => {
  test('no spelling of an inner address is taken', () => {
    fc.assert(
      fc.property(innerAddress, fc.constantFrom(...spellings, ...tunnels), (octets, spell) => {
        expect(refusal(`https://${spell(octets)}/a.mp3`)).toBe('bad_request');
      }),
      { seed: 20_260_101, numRuns: 2000 },
    );
  });

  test('no cloud tells its secrets', () => {
    for (const address of ['168.63.129.16', '169.254.169.254', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'])
      expect(isPublicAddress(address), address).toBe(false);
    for (const address of ['168.63.129.17', '2606:4700:4700::1111'])
      expect(isPublicAddress(address), address).toBe(true);
  });

  test('public addresses are, in every spelling that means the same', () => {
    fc.assert(
      fc.property(publicOctets, fc.constantFrom(...spellings), (octets, spell) => {
        expect(refusal(`https://${spell(octets)}/a.mp3`)).toMatch(/^https:/);
        expect(isPublicAddress(octets.join('.'))).toBe(true);
      }),
      { seed: 20_260_102, numRuns: 500 },
    );
  });

  test('no IPv6 address outside 2000::/3 is taken', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const first = groups[0] ?? 0;
        fc.pre(first >> 13 !== 1);
        expect(refusal(`https://[${groups.map((one) => one.toString(16)).join(':')}]/`)).toBe('bad_request');
      }),
      { seed: 20_260_103, numRuns: 1000 },
    );
  });

  test.each([
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    'fec0::1',
    '::7f00:1',
    '2001:db8::1',
    '2001::1',
    '100::1',
    '64:ff9b:1::1',
    'not an address',
    '',
  ])('%j is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
  test.each(['2606:2800:220:1::1', '2a00:1450:4001::1', '93.184.215.14'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('links', () => {
  test.each([
    'http://media.example.com/a.mp3',
    'ftp://media.example.com/a',
    'file:///etc/passwd',
    'data:audio/wav;base64,AAAA',
    'javascript:1',
    'not a link',
    '',
    '//media.example.com/a',
    'https://user@media.example.com/a',
    'https://user:secret@media.example.com/a',
    'https://:secret@media.example.com/a',
    'https://media.example.com:8443/a',
    'https://media.example.com:22/a',
    'https://localhost/a',
    'https://LOCALHOST./a',
    'https://db/a',
    'https://x.localhost/a',
    'https://printer.local/a',
    'https://metadata.google.internal/a',
    'https://router.home.arpa/',
    'https://[::1',
    'https://1.2.3.4.5/',
  ])('refuses %j', (url) => {
    expect(refusal(url)).toBe('bad_request');
  });

  test.each([
    ['https://media.example.com/a.mp3', 'https://media.example.com/a.mp3'],
    ['https://Media.Example.com:443/a%20b.mp3?x=1#t=10', 'https://media.example.com/a%20b.mp3?x=1'],
    ['https://example.com', 'https://example.com/'],
    ['https://bücher.example/ä.mp3', 'https://xn--bcher-kva.example/%C3%A4.mp3'],
  ])('takes %s', slow, (url, normal) => {
    expect(check(url).href).toBe(normal);
  });

  test('takes letters beyond ASCII also after thousands of links', slow, () => {
    // From about the 3000th call on, URL.canParse of Node 22 refuses them.
    for (let count = 0; count < 20_000; count += 1)
      expect(check('https://bücher.example/ä.mp3').hostname).toBe('xn--bcher-kva.example');
  });

  test('says what was wrong, never what was in it', () => {
    expect(() => check('https://user:secret@media.example.com/a')).toThrow(
      'Expected a public HTTPS link for url: it contains a user name or password',
    );
  });
});
