import type { PasskeyChecks } from '../rules/sign-in/passkey-checks.ts';

/** WebAuthn's library is loaded with the first passkey: 0.2 s and 27 MB that most processes never need. */
export function createPasskeyChecks(): PasskeyChecks {
  const load = async (): Promise<PasskeyChecks> => (await import('../adapters/passkeys/webauthn.ts')).webauthnChecks;
  return {
    creation: async (...args) => (await load()).creation(...args),
    checkCreation: async (...args) => (await load()).checkCreation(...args),
    request: async (...args) => (await load()).request(...args),
    checkRequest: async (...args) => (await load()).checkRequest(...args),
  };
}
