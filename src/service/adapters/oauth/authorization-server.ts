import type { Provider } from 'oidc-provider';
import type {
  AskedBrowser,
  AuthorizationServer,
  ConsentQuestion,
  ProtocolAnswer,
  ProtocolRequest,
} from '../../rules/accounts/authorization-server.ts';
import type { AccessTokenVerifier } from '../../rules/accounts/access.ts';
import type { ProgramStore } from '../../rules/accounts/program-store.ts';
import { hashSecret } from '../../rules/accounts/access.ts';
import { isNative, readRegistration, RegistrationError } from './registration.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Addresses under which one process serves the protocol: 127.0.0.1, localhost, those of the machine's networks. */
const mostIssuers = 16;

/** Parameters that reach the library: no request objects, no prompts, no scopes, of which there is one. */
const authorizeParameters = new Set([
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'resource',
  'response_type',
  'state',
]);

/**
 * OAuth 2.1 by oidc-provider, which is loaded with the first request. It gets requests that we make from what it needs,
 * and no connection: so it knows our address, whatever proxies and host apps are in front, and reads no body itself.
 */
export function createAuthorizationServer(
  store: ProgramStore,
  keys: SigningKeys,
  verifier: AccessTokenVerifier,
): AuthorizationServer {
  const providers = new Map<string, { readonly version: string; readonly provider: Promise<Provider> }>();

  /** Made again when the keys change. */
  async function providerOf(issuer: string): Promise<Provider> {
    const { version } = await keys.signing();
    const known = providers.get(issuer);
    if (known?.version === version) return known.provider;
    const provider = import('./provider.ts').then(({ createProvider }) => createProvider(issuer, store, keys));
    providers.delete(issuer);
    for (const [oldest] of providers) if (providers.size >= mostIssuers) providers.delete(oldest);
    providers.set(issuer, { version, provider });
    // The next request tries again.
    provider.catch(() => providers.delete(issuer));
    return provider;
  }

  async function findQuestion({ base, question, cookie = '' }: AskedBrowser) {
    const provider = await providerOf(base);
    // Only the browser in which the question began: another person's link must not connect this person's account.
    const asked = new RegExp(`(?:^|; )${provider.cookieName('interaction')}=([\\w-]+)`).exec(cookie)?.[1];
    const interaction = asked === question ? await provider.Interaction.find(question) : undefined;
    const clientId = interaction?.params['client_id'];
    const client = await provider.Client.find(typeof clientId === 'string' ? clientId : '');
    return interaction === undefined || interaction.result !== undefined || client === undefined
      ? null
      : { provider, interaction, client };
  }

  return {
    async answer(request) {
      try {
        const ready = await readied(request, verifier);
        const provider = await providerOf(request.base);
        const { ask } = await import('./provider-requests.ts');
        const answer = await ask(provider, ready);
        if (request.endpoint === 'metadata') return { ...answer, body: shownMetadata(answer.body) };
        return request.endpoint === 'authorize' ? withoutRedirect(request.base, answer) : answer;
      } catch (thrown) {
        if (!(thrown instanceof RegistrationError)) throw thrown;
        return problem(thrown.code, thrown.message);
      }
    },

    async question(asked) {
      const found = await findQuestion(asked);
      return found === null ? null : shown(found.interaction.params, found.client.clientName);
    },

    async decide(asked, accountId) {
      const found = await findQuestion(asked);
      if (found === null) return null;
      const { provider, interaction, client } = found;
      if (accountId === null) interaction.result = { error: 'access_denied', error_description: 'the person refused' };
      else {
        const grant = new provider.Grant({ accountId, clientId: client.clientId });
        for (const resource of [interaction.params['resource']].flat())
          grant.addResourceScope(String(resource), 'earshot');
        const grantId = await grant.save();
        await store.removeOtherGrants(accountId, hashSecret(client.clientId), hashSecret(grantId));
        interaction.result = { login: { accountId, remember: false }, consent: { grantId } };
      }
      await interaction.persist();
      return interaction.returnTo;
    },
  };
}

/**
 * No one has let the program in yet, and anyone may have registered its addresses: the browser goes to our own
 * question, and errors are told here (RFC 9700, 4.11.2).
 */
function withoutRedirect(base: string, answer: ProtocolAnswer): ProtocolAnswer {
  const { location } = answer.headers;
  if (typeof location !== 'string' || location.startsWith(`${base}/connect/`)) return answer;
  const told = URL.parse(location)?.searchParams;
  return problem(told?.get('error') ?? 'invalid_request', told?.get('error_description') ?? '');
}

/** Without what OpenID Connect adds and we do not offer, but for two fields that its readers require. */
function shownMetadata(body: string): string {
  const all = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const names = [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
    'jwks_uri',
    'response_types_supported',
    'grant_types_supported',
    'code_challenge_methods_supported',
    'token_endpoint_auth_methods_supported',
    'authorization_response_iss_parameter_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
  ];
  const kept = Object.fromEntries(names.map((name) => [name, all[name]]));
  return JSON.stringify({ ...kept, scopes_supported: ['earshot'], response_modes_supported: ['query'] });
}

const problem = (error: string, description: string): ProtocolAnswer => ({
  status: 400,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ error, error_description: description }),
});

const shown = (params: Readonly<Record<string, unknown>>, name: string | undefined): ConsentQuestion => {
  const redirectUri = String(params['redirect_uri']);
  return { name: name ?? null, redirectUri, native: isNative(redirectUri) };
};

/**
 * The request as the library gets it.
 * @throws RegistrationError
 */
async function readied(request: ProtocolRequest, verifier: AccessTokenVerifier): Promise<ProtocolRequest> {
  const { endpoint, query = [], body = '' } = request;
  switch (endpoint) {
    case 'authorize':
      return { ...request, query: [...query.filter(([name]) => authorizeParameters.has(name)), ['scope', 'earshot']] };
    case 'register':
      return { ...request, body: JSON.stringify(readRegistration(body)) };
    case 'token': {
      const form = new URLSearchParams(body);
      form.delete('scope');
      return { ...request, body: form.toString() };
    }
    case 'revoke':
      return { ...request, body: await revocable(new URLSearchParams(body), verifier) };
    case 'keys':
    case 'metadata':
    case 'resume':
      break;
  }
  return request;
}

/** The library cannot revoke signed access tokens: it gets their grant. Unknown ones need none (RFC 7009, 2.2). */
async function revocable(form: URLSearchParams, verifier: AccessTokenVerifier): Promise<string> {
  const token = form.get('token') ?? '';
  if (token.split('.').length === 3) {
    const read = await verifier.verify(token, 'api').catch(() => ({}));
    const { grantToken } = await import('./provider-store.ts');
    form.set('token', 'grant' in read ? grantToken(read.grant) : 'unknown');
  }
  return form.toString();
}
