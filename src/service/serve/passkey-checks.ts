import type { PasskeyChecks } from '../rules/sign-in/passkey-checks.ts';

/** Loads WebAuthn's library with the first passkey: it takes 0.2 s and 27 MB, which most processes never need. */
export function createPasskeyChecks(): PasskeyChecks {
  const load = async (): Promise<PasskeyChecks> => (await import('../adapters/passkeys/webauthn.ts')).webauthnChecks;
  return {
    creation: async (...args) => (await load()).creation(...args),
    checkCreation: async (...args) => (await load()).checkCreation(...args),
    request: async (...args) => (await load()).request(...args),
    checkRequest: async (...args) => (await load()).checkRequest(...args),
  };
}
