import { createAccessTokenVerifier } from '../adapters/oauth/access-tokens.ts';
import { createAuthorizationServer } from '../adapters/oauth/authorization-server.ts';
import { createOwnTokenVerifier } from '../adapters/oauth/own-tokens.ts';
import { createSigningKeys } from '../adapters/oauth/signing-keys.ts';
import type { AccessTokenVerifier } from '../rules/accounts/access.ts';
import type { AuthorizationServer } from '../rules/accounts/authorization-server.ts';
import type { Config } from '../rules/settings/config.ts';
import type { ProgramStore } from '../rules/accounts/program-store.ts';
import { issuesTokens } from '../rules/sign-in/programs.ts';
import type { TokenKeyStore } from '../rules/shared/token-keys.ts';

/** Whose access tokens are taken: the operator's issuer's, our own, or none. */
export function createTokenIssue(
  config: Config,
  { programs, programKeys }: { readonly programs: ProgramStore; readonly programKeys: TokenKeyStore },
  baseUrl: () => string,
  now: () => Date,
): { readonly verifier: AccessTokenVerifier | null; readonly authorizationServer: AuthorizationServer | null } {
  if (!issuesTokens(config)) return { verifier: createAccessTokenVerifier(config), authorizationServer: null };
  const keys = createSigningKeys(programKeys, now);
  const verifier = createOwnTokenVerifier(keys, config, baseUrl, now);
  return { verifier, authorizationServer: createAuthorizationServer(programs, keys, verifier) };
}
