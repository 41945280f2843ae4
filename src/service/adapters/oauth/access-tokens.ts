import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, jwtVerify } from 'jose';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { readWholeBody, sendRequest } from '../../../library/core/outgoing-request.ts';
import type { AccessTokenVerifier } from '../../rules/accounts/access.ts';
import type { Config } from '../../rules/settings/config.ts';
import { clockToleranceSeconds, refuse } from './token-checks.ts';

/** Asymmetric signatures only. */
const algorithms = ['RS256', 'ES256', 'EdDSA'];
const fetchTimeoutMilliseconds = 5000;
const mostBytesOfKeys = 1_000_000;
/** Shortest time between two requests for the issuer's keys because of an unknown key id. */
const cooldownMilliseconds = 30_000;

/** Errors of the issuer's response, not of the token. */
const issuerFailures: readonly (abstract new (...arguments_: never) => Error)[] = [
  errors.JWKSTimeout,
  errors.JWKSInvalid,
  errors.JWKInvalid,
];

/**
 * Verifies OAuth access tokens (JWT, RFC 9068) with the issuer's published keys. Requires our audience and the type of
 * access tokens, so that ID tokens of the same issuer are refused. null when no issuer is configured.
 * @throws EarshotError bad_request for an issuer without an audience
 */
export function createAccessTokenVerifier(
  config: Pick<Config, 'oauthIssuer' | 'oauthJwksUrl' | 'oauthAudience' | 'oauthTokenType'>,
): AccessTokenVerifier | null {
  const { oauthIssuer: issuer, oauthJwksUrl, oauthAudience: audience, oauthTokenType: typ } = config;
  if (issuer === null) return null;
  if (audience === null)
    throw new EarshotError(
      'bad_request',
      'Expected an audience together with the issuer of access tokens: without it, tokens for other services would ' +
        'be accepted',
      {
        details: { field: 'EARSHOT_OAUTH_AUDIENCE' },
        nextAction: 'Set EARSHOT_OAUTH_AUDIENCE (--oauth-audience) to the name that the issuer gives this service.',
      },
    );
  const url = jwksUrl(issuer, oauthJwksUrl);
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: fetchTimeoutMilliseconds,
    cooldownDuration: cooldownMilliseconds,
    [customFetch]: getKeys,
  });

  return {
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          algorithms,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['sub', 'exp'],
          audience,
          typ,
        });
        // jose compares it only with a longest age, which tokens have by their expiry.
        const { iat } = payload;
        if (iat !== undefined && iat > Date.now() / 1000 + clockToleranceSeconds)
          throw refuse('it was issued in the future');
        // A claim of the wrong type or an empty one passes `requiredClaims`.
        if (typeof payload.sub !== 'string' || payload.sub === '') throw refuse('its subject is empty');
        return { subject: payload.sub };
      } catch (thrown) {
        throw asEarshotError(thrown, url);
      }
    },
  };
}

/** outgoing-request.ts says why fetch is not used. */
const getKeys: FetchImplementation = async (url, { headers, signal }) => {
  const answer = await sendRequest(new URL(url), {
    method: 'GET',
    headers: Object.fromEntries(headers),
    signal,
    headersMs: fetchTimeoutMilliseconds,
  });
  const body = await readWholeBody(answer, fetchTimeoutMilliseconds, mostBytesOfKeys);
  return new Response(body, { status: answer.statusCode ?? 0 });
};

/** @throws EarshotError bad_request */
function jwksUrl(issuer: string, configured: string | null): URL {
  const text = configured ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new EarshotError(
      'bad_request',
      `Expected an http or https address for the keys of the access tokens' issuer but received ${text}`,
      { details: { field: configured === null ? 'EARSHOT_OAUTH_ISSUER' : 'EARSHOT_OAUTH_JWKS_URL', received: text } },
    );
  }
  return url;
}

function asEarshotError(thrown: unknown, url: URL): EarshotError {
  if (thrown instanceof EarshotError) return thrown;
  // jose throws its base class when the issuer's response is not a key set.
  const tokensFault =
    thrown instanceof errors.JOSEError &&
    thrown.code !== errors.JOSEError.code &&
    !issuerFailures.some((failure) => thrown instanceof failure);
  if (tokensFault) return refuse(thrown.message);
  return new EarshotError('internal_error', `Could not get the keys of the access tokens' issuer from ${url.origin}`, {
    cause: thrown,
  });
}
