import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccessTokenVerifier } from '../../../../src/service/adapters/oauth/access-tokens.ts';
import type { AccessTokenVerifier } from '../../../../src/service/rules/accounts/access.ts';

interface Signer {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function makeSigner(alg: string, kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

const settings = { oauthJwksUrl: null, oauthAudience: 'earshot', oauthTokenType: 'at+jwt' };

let server: Server;
let issuer: string;
let answer: { status: number; body: unknown };
let fetches = 0;
let signers: Signer[];
let stranger: Signer;
let verifier: AccessTokenVerifier;

const tokenOf = (
  signer: Signer,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> =>
  new SignJWT({ iss: issuer, sub: 'person-1', aud: 'earshot', exp: Math.floor(Date.now() / 1000) + 60, ...claims })
    .setProtectedHeader({ alg: signer.alg, kid: signer.kid, typ: 'at+jwt', ...header })
    .sign(signer.privateKey);

const signer = (index: number): Signer => {
  const found = signers[index];
  if (!found) throw new Error('no such signer');
  return found;
};

beforeAll(async () => {
  signers = await Promise.all([makeSigner('RS256', 'rsa'), makeSigner('ES256', 'ec'), makeSigner('EdDSA', 'ed')]);
  stranger = await makeSigner('ES256', 'ec');
  answer = { status: 200, body: { keys: [...signers.map(({ jwk }) => jwk), (await makeSigner('PS256', 'pss')).jwk] } };
  server = createServer((request, response) => {
    fetches += 1;
    response
      .writeHead(request.url === '/.well-known/jwks.json' ? answer.status : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made = createAccessTokenVerifier({ ...settings, oauthIssuer: issuer });
  if (made === null) throw new Error('expected a verifier');
  verifier = made;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('access tokens', () => {
  it.each([
    [0, 'RS256'],
    [1, 'ES256'],
    [2, 'EdDSA'],
  ])('takes %i: %s', async (index) => {
    await expect(verifier.verify(await tokenOf(signer(index)))).resolves.toEqual({ subject: 'person-1' });
  });

  it('fetches the keys once', async () => {
    const before = fetches;
    for (let index = 0; index < 3; index++) await verifier.verify(await tokenOf(signer(index)));
    expect(fetches).toBe(before);
  });

  it('lets clocks differ by a little', async () => {
    const now = Math.floor(Date.now() / 1000);
    await expect(verifier.verify(await tokenOf(signer(1), { exp: now - 10 }))).resolves.toEqual({
      subject: 'person-1',
    });
    await expect(verifier.verify(await tokenOf(signer(1), { iat: now + 10 }))).resolves.toEqual({
      subject: 'person-1',
    });
    await expect(verifier.verify(await tokenOf(signer(1), { nbf: now + 10 }))).resolves.toEqual({
      subject: 'person-1',
    });
  });

  it.each<[string, () => Promise<string> | string]>([
    ['one that is over', () => tokenOf(signer(1), { exp: Math.floor(Date.now() / 1000) - 120 })],
    ['one that is not valid yet', () => tokenOf(signer(1), { nbf: Math.floor(Date.now() / 1000) + 120 })],
    ['one that was issued in the future', () => tokenOf(signer(1), { iat: Math.floor(Date.now() / 1000) + 120 })],
    ['one that was issued at no time', () => tokenOf(signer(1), { iat: 'yesterday' })],
    ['one that never ends', () => tokenOf(signer(1), { exp: undefined })],
    ["another issuer's", () => tokenOf(signer(1), { iss: 'https://elsewhere.test' })],
    ['one for another audience', () => tokenOf(signer(1), { aud: 'another-service' })],
    ['one without an audience', () => tokenOf(signer(1), { aud: undefined })],
    ['an ID token of the same issuer', () => tokenOf(signer(1), {}, { typ: 'JWT' })],
    ['one without a type', () => tokenOf(signer(1), {}, { typ: undefined })],
    ['one without a subject', () => tokenOf(signer(1), { sub: undefined })],
    ['one with an empty subject', () => tokenOf(signer(1), { sub: '' })],
    ['one signed with a key that is not published', () => tokenOf(stranger)],
    ['one that names a key that is not published', () => tokenOf(stranger, {}, { kid: 'other' })],
    [
      'one with a changed payload',
      async () => {
        const [header, , signature] = (await tokenOf(signer(1))).split('.');
        return `${header}.${Buffer.from(JSON.stringify({ iss: issuer, sub: 'somebody-else', aud: 'earshot', exp: 9_999_999_999 })).toString('base64url')}.${signature}`;
      },
    ],
    [
      'an unsigned one',
      () => new UnsecuredJWT({ iss: issuer, sub: 'person-1', aud: 'earshot' }).setExpirationTime('1m').encode(),
    ],
    [
      'one signed with the public key as a shared secret',
      () =>
        new SignJWT({ iss: issuer, sub: 'person-1', aud: 'earshot' })
          .setProtectedHeader({ alg: 'HS256', kid: 'rsa' })
          .setExpirationTime('1m')
          .sign(new TextEncoder().encode(JSON.stringify(signer(0).jwk))),
    ],
    ['an algorithm that is not on our list', async () => tokenOf(await makeSigner('PS256', 'pss'))],
    ['something else', () => 'not-a-token'],
    ['nothing', () => ''],
  ])('refuses %s', async (_name, make) => {
    await expect(verifier.verify(await make())).rejects.toMatchObject({ name: 'EarshotError', code: 'unauthorized' });
  });

  it('blames the issuer, not the token, when there are no keys to be had', async () => {
    const usual = answer;
    const token = await tokenOf(signer(1));
    for (const failing of [
      { status: 500, body: {} },
      { status: 200, body: { keys: 'none' } },
    ]) {
      answer = failing;
      const fresh = createAccessTokenVerifier({ ...settings, oauthIssuer: issuer });
      await expect(fresh?.verify(token)).rejects.toMatchObject({ code: 'internal_error', retryable: true });
      // And takes it once they are there.
      answer = usual;
      await expect(fresh?.verify(token)).resolves.toEqual({ subject: 'person-1' });
    }
    const nobody = createAccessTokenVerifier({
      ...settings,
      oauthIssuer: issuer,
      oauthJwksUrl: 'http://127.0.0.1:1/keys',
    });
    await expect(nobody?.verify(token)).rejects.toMatchObject({ code: 'internal_error', retryable: true });
  });

  it('takes another place for the keys, and the type that the issuer writes', async () => {
    const elsewhere = createAccessTokenVerifier({
      ...settings,
      oauthIssuer: issuer,
      oauthJwksUrl: `${issuer}/.well-known/jwks.json`,
      oauthTokenType: 'JWT',
    });
    await expect(elsewhere?.verify(await tokenOf(signer(1), {}, { typ: 'JWT' }))).resolves.toEqual({
      subject: 'person-1',
    });
    // As RFC 9068 allows it to be written, too.
    await expect(verifier.verify(await tokenOf(signer(1), {}, { typ: 'application/at+jwt' }))).resolves.toEqual({
      subject: 'person-1',
    });
  });

  it('does not exist without an issuer, and wants an address', () => {
    expect(createAccessTokenVerifier({ ...settings, oauthIssuer: null, oauthAudience: null })).toBeNull();
    expect(() => createAccessTokenVerifier({ ...settings, oauthIssuer: issuer, oauthAudience: null })).toThrow(
      /audience/,
    );
    expect(() => createAccessTokenVerifier({ ...settings, oauthIssuer: 'issuer' })).toThrow(/EARSHOT|http or https/);
  });
});
