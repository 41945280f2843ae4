// The only file that loads oidc-provider. docs/decisions/service/0062-programs-act-for-people.md says what it is used
// for.
import { createHmac } from 'node:crypto';
import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { hashSecret } from '../../rules/accounts/access.ts';
import type { ProgramStore } from '../../rules/accounts/program-store.ts';
import { grantClaim, mcpPath } from './own-tokens.ts';
import { createProviderStore } from './provider-store.ts';
import { accessTokenSeconds, signingAlgorithm, type SigningKeys } from './signing-keys.ts';

/** Everything that a program may do: files, jobs, credits. Other scopes are ignored. */
export const scope = 'earshot';

const questionSeconds = 3600;
const codeSeconds = 60;
/** A program that is not used for this long is forgotten. */
const refreshSeconds = 60 * 86_400;
/** Then the person is asked again. */
const grantSeconds = 365 * 86_400;

export const cookieNames = { session: 'svc.oauth', interaction: 'svc.consent', resume: 'svc.consent_resume' } as const;

/** The protocol for one issuer: the service's address, with its path. */
export async function createProvider(issuer: string, store: ProgramStore, keys: SigningKeys): Promise<Provider> {
  const { keys: jwks, kid } = await keys.signing();
  const mountPath = new URL(issuer).pathname.replace(/\/$/, '');
  const provider = new Provider(issuer, configurationOf(issuer, store, { jwks, kid }));
  // We set the headers from which Koa reads protocol and host.
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    (ctx as { mountPath?: string }).mountPath = mountPath;
    await next();
  });
  // Secrets of clients are stored as hashes.
  provider.Client.prototype.compareClientSecret = function compare(this: { clientSecret?: string }, given: string) {
    return this.clientSecret === hashSecret(given);
  };
  const { prototype: token } = provider.RefreshToken as unknown as { prototype: MadeToken };
  const { generateTokenId: anyId } = token;
  token.generateTokenId = function successor(this: MadeToken) {
    const before = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    return before === undefined ? anyId.call(this) : successorOf(before);
  };
  return provider;
}

/** A token that the library is about to store. Its types leave this method out. */
interface MadeToken {
  generateTokenId(): string;
}

/**
 * Each refresh token has one successor: a program that sends it again within its grace gets the same one, and no second
 * family grows, in which the theft of a token would go unnoticed. Computed, since only hashes of tokens are stored; the
 * grant's id is in the database alone, so who has an old token cannot compute the next.
 */
function successorOf({ jti, grantId }: { readonly jti: string; readonly grantId?: string | undefined }): string {
  return createHmac('sha256', String(grantId)).update(`successor of ${jti}`).digest('base64url');
}

function configurationOf(
  issuer: string,
  store: ProgramStore,
  { jwks, kid }: { readonly jwks: readonly object[]; readonly kid: string },
): Configuration {
  return {
    adapter: createProviderStore(store),
    jwks: { keys: [...jwks] },
    scopes: [scope],
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    enabledJWA: { idTokenSigningAlgValues: [signingAlgorithm] },
    pkce: { required: () => true },
    clientBasedCORS: () => false,
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/keys',
    },
    cookies: { names: cookieNames, short: cookie, long: cookie },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        // Programs that know nothing of `resource` get a token for all doors.
        defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? issuer + mcpPath,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          const audience = resource.replace(/\/$/, '');
          if (audience !== issuer && audience !== issuer + mcpPath) throw new errors.InvalidTarget();
          return {
            audience,
            scope,
            accessTokenTTL: accessTokenSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: signingAlgorithm, kid } },
          };
        },
      },
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      RefreshToken: refreshSeconds,
      Grant: grantSeconds,
      Interaction: questionSeconds,
      Session: questionSeconds,
    },
    extraTokenClaims: (_ctx, token) => ({ [grantClaim]: hashSecret(String((token as { grantId?: string }).grantId)) }),
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_ctx, { uid }) => `${issuer}/connect/${uid}`, policy: [askAlways()] },
    loadExistingGrant: (ctx) => grantOf(ctx),
    renderError: (ctx, out) => {
      ctx.type = 'json';
      ctx.body = out;
    },
  };
}

const cookie = { httpOnly: true, sameSite: 'lax', overwrite: true } as const;

/** A consent is given for one request. Earlier ones count for nothing, so that no page can get a code unseen. */
function askAlways(): interactionPolicy.Prompt {
  const { Check, Prompt } = interactionPolicy;
  const isAnswered = ({ oidc }: KoaContextWithOIDC): boolean => oidc.result?.consent !== undefined;
  return new Prompt(
    { name: 'consent', requestable: true },
    new Check('not_asked', 'the person has not been asked', 'consent_required', (ctx) =>
      isAnswered(ctx) ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
    ),
  );
}

async function grantOf({ oidc }: KoaContextWithOIDC) {
  const id = oidc.result?.consent?.grantId;
  return id === undefined ? undefined : oidc.provider.Grant.find(id);
}
