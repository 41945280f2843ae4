import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { PasskeyChecks } from '../../rules/sign-in/passkey-checks.ts';
import type { StoredPasskey } from '../../rules/accounts/sign-in-store.ts';

/**
 * WebAuthn by @simplewebauthn/server. Keys must be discoverable, since people sign in without typing a name, and the
 * device must have verified its user: a passkey is the only factor, so holding the device is not enough.
 */
export const webauthnChecks: PasskeyChecks = {
  async creation(party, { id, name }, known) {
    const options = await generateRegistrationOptions({
      rpName: 'Earshot',
      rpID: party.id,
      userName: name,
      userID: new TextEncoder().encode(id),
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: known.map((passkey) => ({ id: passkey.id, transports: transportsOf(passkey) })),
    });
    return { options, challenge: options.challenge };
  },

  async checkCreation(party, challenge, response) {
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    }).catch(() => ({ verified: false as const, registrationInfo: undefined }));
    if (!verified || info === undefined) return null;
    const { id, publicKey, counter, transports = [] } = info.credential;
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  },

  async request(party) {
    const options = await generateAuthenticationOptions({ rpID: party.id, userVerification: 'required' });
    return { options, challenge: options.challenge };
  },

  async checkRequest(party, challenge, passkey, response) {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
        transports: transportsOf(passkey),
      },
    }).catch(() => ({ verified: false as const, authenticationInfo: undefined }));
    return verified && info !== undefined ? { counter: info.newCounter } : null;
  },
};

/** As the browser reported them; browsers ignore unknown values. */
const transportsOf = ({ transports }: StoredPasskey) => [...transports] as AuthenticatorTransport[];
