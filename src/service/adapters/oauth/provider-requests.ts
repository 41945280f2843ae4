import inject from 'light-my-request';
import type { Provider } from 'oidc-provider';
import type { ProtocolAnswer, ProtocolRequest } from '../../rules/accounts/authorization-server.ts';

const paths = {
  authorize: '/oauth/authorize',
  resume: '/oauth/authorize/',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  keys: '/oauth/keys',
  metadata: '/.well-known/oauth-authorization-server',
} as const;

/** Asks the library, without a connection. */
export async function ask(provider: Provider, request: ProtocolRequest): Promise<ProtocolAnswer> {
  const { endpoint, method, question = '', query = [], body, authorization, cookie } = request;
  const { protocol, host } = new URL(request.base);
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query as [string, string][]).toString()}`;
  const isJson = endpoint === 'register';
  const handle = provider.callback();
  const { statusCode, headers, payload } = await inject((incoming, outgoing) => void handle(incoming, outgoing), {
    method: method as 'GET',
    url: paths[endpoint] + (endpoint === 'resume' ? encodeURIComponent(question) : '') + search,
    headers: {
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      ...(body === undefined
        ? {}
        : { 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(cookie === undefined ? {} : { cookie: withoutSession(cookie, provider) }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: statusCode, headers: shownHeaders(headers, provider), body: payload };
}

const isSession = (text: string, provider: Provider): boolean =>
  text.trimStart().startsWith(`${provider.cookieName('session')}=`);

/** People are signed in on the website: the library's own session is neither sent nor believed. */
const withoutSession = (cookie: string, provider: Provider): string =>
  cookie
    .split(';')
    .filter((pair) => !isSession(pair, provider))
    .join(';');

const kept = ['content-type', 'location', 'set-cookie', 'www-authenticate'];

function shownHeaders(
  headers: Readonly<Record<string, string | number | readonly string[] | undefined>>,
  provider: Provider,
): ProtocolAnswer['headers'] {
  const all = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || !kept.includes(name) ? [] : [[name, typeof value === 'number' ? String(value) : value]],
  );
  const made = Object.fromEntries(all) as Record<string, string | string[]>;
  const { 'set-cookie': cookies, ...rest } = made;
  const left = [cookies ?? []].flat().filter((each) => !isSession(each, provider));
  return left.length === 0 ? rest : { ...rest, 'set-cookie': left };
}
