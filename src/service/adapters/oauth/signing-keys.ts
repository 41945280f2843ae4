import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { JWK } from 'jose';
import {
  keyRefreshMs,
  loadTokenKeys,
  signingKey,
  type TokenKey,
  type TokenKeyStore,
} from '../../rules/shared/token-keys.ts';

/** How long an access token works. */
export const accessTokenSeconds = 3600;
export const signingAlgorithm = 'ES256';

/** A fresh key pair; the secret is the private key as JWK. */
export function makeSigningKey(now: Date): TokenKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    id: randomBytes(6).toString('hex'),
    secret: JSON.stringify(privateKey.export({ format: 'jwk' })),
    madeAt: now,
  };
}

/** The key pairs that sign access tokens, shared by all processes. */
export interface SigningKeys {
  /**
   * All of them as private JWKs, the id of the one that signs, and a text that changes with either. Makes the first.
   */
  signing(): Promise<{ readonly keys: readonly JWK[]; readonly kid: string; readonly version: string }>;
  /** Public halves, to verify with: the same array until they change. Makes none. */
  published(): Promise<readonly JWK[]>;
}

/** Keys are reloaded every minute, and a new one signs only when every process knows it. */
export function createSigningKeys(store: TokenKeyStore, now: () => Date): SigningKeys {
  let known: readonly TokenKey[] = [];
  let shown: readonly JWK[] = [];
  let loadedAt = -Infinity;
  function learn(found: readonly TokenKey[]): void {
    loadedAt = now().getTime();
    if (idsOf(found) === idsOf(known)) return;
    known = found;
    shown = found.map(asJwk).map(({ d: _private, ...rest }) => rest);
  }
  async function refresh(): Promise<void> {
    if (known.length === 0 || now().getTime() - loadedAt >= keyRefreshMs) learn(await store.list());
  }
  return {
    async signing() {
      await refresh();
      if (known.length === 0) learn(await loadTokenKeys(store, now(), makeSigningKey));
      const kid = signingKey(known, now()).id;
      return { keys: known.map(asJwk), kid, version: `${kid} ${idsOf(known)}` };
    },
    async published() {
      await refresh();
      return shown;
    },
  };
}

const idsOf = (keys: readonly TokenKey[]): string => keys.map(({ id }) => id).join();

const asJwk = ({ id, secret }: TokenKey): JWK => ({
  ...(JSON.parse(secret) as JWK),
  kid: id,
  alg: signingAlgorithm,
  use: 'sig',
});
