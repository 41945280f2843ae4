import { createLocalJWKSet, errors, type JWK, jwtVerify } from 'jose';
import type { AccessTokenVerifier, Door } from '../../rules/accounts/access.ts';
import type { Config } from '../../rules/settings/config.ts';
import { isOwnName } from '../../rules/settings/own-names.ts';
import { signingAlgorithm, type SigningKeys } from './signing-keys.ts';
import { clockToleranceSeconds, refuse } from './token-checks.ts';

/** Claim with the hash of the grant's id, by which a token is revoked. */
export const grantClaim = 'grant';
/** The assistants' door has a name of its own as an audience; a token for it also opens the others. */
export const mcpPath = '/mcp';

/**
 * Verifies access tokens of our own authorization server. Whether their grant was ended is for the caller to see. When
 * they were issued does not matter: the clock of the process that did so may be ahead of the database's.
 */
export function createOwnTokenVerifier(
  keys: SigningKeys,
  config: Pick<Config, 'baseUrl' | 'host'>,
  baseUrl: () => string,
  now: () => Date,
): AccessTokenVerifier {
  let known: { readonly keys: readonly JWK[]; readonly find: ReturnType<typeof createLocalJWKSet> } | undefined;
  /** Reading a key takes as long as verifying with it. */
  async function keySet(): Promise<ReturnType<typeof createLocalJWKSet>> {
    const published = await keys.published();
    if (known?.keys !== published) known = { keys: published, find: createLocalJWKSet({ keys: [...published] }) };
    return known.find;
  }

  return {
    async verify(token, door = 'api') {
      try {
        const { payload } = await jwtVerify(token, await keySet(), {
          algorithms: [signingAlgorithm],
          clockTolerance: clockToleranceSeconds,
          currentDate: now(),
          requiredClaims: ['iss', 'sub', 'aud', 'exp', grantClaim],
          typ: 'at+jwt',
        });
        const { iss = '', aud, [grantClaim]: grant } = payload;
        const isOurs = config.baseUrl === null ? isOwnName(URL.parse(iss)?.hostname ?? '', config) : iss === baseUrl();
        if (!isOurs) throw refuse('unexpected "iss" claim value');
        if (typeof aud !== 'string' || !audiencesOf(iss, door).includes(aud))
          throw refuse('unexpected "aud" claim value');
        if (typeof grant !== 'string') throw refuse('unexpected "grant" claim value');
        return { grant };
      } catch (thrown) {
        if (thrown instanceof errors.JOSEError) throw refuse(thrown.message);
        throw thrown;
      }
    },
  };
}

const audiencesOf = (issuer: string, door: Door): readonly string[] =>
  door === 'mcp' ? [issuer + mcpPath] : [issuer, issuer + mcpPath];
