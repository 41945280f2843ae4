// Passkeys against an authenticator of our own, which says what a security key without a PIN says: somebody was there,
// nobody knows who.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { describe, expect, it } from 'vitest';
import { webauthnChecks as checks } from '../../../../src/service/adapters/passkeys/webauthn.ts';

const party = { id: 'audio.example.org', origin: 'https://audio.example.org' };
const present = 0x01;
const verified = 0x04;
const withKey = 0x40;

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();
const text = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

function authenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const coordinate = (value: string) => new Uint8Array(Buffer.from(value, 'base64url'));
  const cose = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, coordinate(x)],
    [-3, coordinate(y)],
  ]);
  const id = randomBytes(16);
  let counter = 0;
  const data = (flags: number, rest: Uint8Array = Buffer.alloc(0)): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE((counter += 1));
    return Buffer.concat([sha256(party.id), Buffer.from([flags]), count, rest]);
  };
  const client = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: party.origin, crossOrigin: false }));
  const common = { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} };
  return {
    make(challenge: string, flags: number) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const key = isoCBOR.encode(cose);
      const authData = data(flags | withKey, Buffer.concat([Buffer.alloc(16), length, id, key]));
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(authData)],
      ]);
      const response = {
        clientDataJSON: text(client('webauthn.create', challenge)),
        attestationObject: text(isoCBOR.encode(attestation as never)),
      };
      return { ...common, response };
    },
    use(challenge: string, flags: number) {
      const clientData = client('webauthn.get', challenge);
      const authenticatorData = data(flags);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), privateKey);
      const response = {
        clientDataJSON: text(clientData),
        authenticatorData: text(authenticatorData),
        signature: text(signature),
      };
      return { ...common, response };
    },
  };
}

describe('a passkey', () => {
  const ann = { id: 'acc_1', name: 'ann@example.org' };

  it('is made and used only where the device has verified its user, and the browser is told so', async () => {
    const device = authenticator();
    const { options, challenge } = await checks.creation(party, ann, []);
    expect(options).toMatchObject({ authenticatorSelection: { userVerification: 'required' } });
    expect(await checks.checkCreation(party, challenge, device.make(challenge, present))).toBeNull();
    const made = await checks.checkCreation(party, challenge, device.make(challenge, present | verified));
    if (made === null) throw new Error('the passkey was refused');

    const passkey = { ...made, accountId: ann.id, name: 'Key', createdAt: new Date(), lastUsedAt: null };
    const asked = await checks.request(party);
    expect(asked.options).toMatchObject({ userVerification: 'required' });
    const use = (flags: number) =>
      checks.checkRequest(party, asked.challenge, passkey, device.use(asked.challenge, flags));
    expect(await use(present)).toBeNull();
    expect(await use(present | verified)).toEqual({ counter: expect.any(Number) });
  });
});
