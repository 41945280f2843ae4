// A program and a person: registration, consent by the forms of the page, and tokens.
import { createHash, randomBytes } from 'node:crypto';
import { plainBrowser, type PlainBrowser } from '../../../fixtures/browser/plain-browser.ts';
import type { TestService } from '../../../fixtures/service/service.ts';

export const redirect = 'http://127.0.0.1:41573/callback';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
export type Json = any;

export interface Answered {
  readonly status: number;
  readonly json: Json;
}

let addresses = 0;
/** Each program and each person is on a machine of its own, as the trusted proxy says. */
const nextAddress = (): string => `203.0.${(addresses += 1) >> 8}.${addresses & 255}`;

export const newBrowser = (service: { readonly base: string }): PlainBrowser =>
  plainBrowser(service.base, nextAddress());

/** A person who is signed in. @param origin of the pages. Default: the service's own */
export async function signedIn(
  service: Pick<TestService, 'base' | 'operator'>,
  accountId: string,
  origin = new URL(service.base).origin,
): Promise<PlainBrowser> {
  const { token } = await service.operator.createSignInLink(accountId, 60);
  const ann = newBrowser(service);
  await ann.send(`/sign-in/${token}`, {}, origin);
  return ann;
}

/** A fresh account and its browser. */
export async function person(service: TestService, credits = 1000) {
  const { account } = await service.account(credits);
  return { account, ann: await signedIn(service, account.id) };
}

export async function send(base: string, path: string, body: string | object, headers: Record<string, string> = {}) {
  const isForm = typeof body === 'object' && body instanceof URLSearchParams;
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json', ...headers },
    body: isForm || typeof body === 'string' ? String(body) : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : text };
}

/** As desktop programs register. */
export const desktop = {
  client_name: 'Batch cleaner',
  redirect_uris: [redirect],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

export const register = (service: { readonly base: string }, metadata: object = desktop): Promise<Answered> =>
  send(service.base, '/oauth/register', metadata, { 'x-forwarded-for': nextAddress() });

export const form = (fields: Readonly<Record<string, string>>): URLSearchParams => new URLSearchParams(fields);

/** A request for a code, with its verifier. */
export function asking(clientId: string, base: string, changes: Readonly<Record<string, string | null>> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const fields: Record<string, string | null> = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirect,
    state: 'as-it-was',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${base}/mcp`,
    ...changes,
  };
  const query = form(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as never);
  return { verifier, path: `/oauth/authorize?${query.toString()}` };
}

/** From the request to the redirect with the answer, by the page's form. */
export async function answered(ann: PlainBrowser, base: string, path: string, answer = 'allow'): Promise<URL> {
  const { to: page } = await ann.get(path);
  // Without the prefix of a host app, which the browser adds.
  const asked = new URL(page ?? '', base).pathname.slice(new URL(base).pathname.replace(/\/$/, '').length);
  const { to: on } = await ann.submit(asked, asked, { answer });
  const { to: back } = await ann.get(on ?? '');
  return new URL(back ?? '');
}

export interface Connected {
  readonly clientId: string;
  readonly code: string;
  readonly verifier: string;
  readonly tokens: { readonly access_token: string; readonly refresh_token: string; readonly expires_in: number };
}

export const exchange = (base: string, clientId: string, code: string, verifier: string, changes: object = {}) =>
  send(
    base,
    '/oauth/token',
    form({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: redirect,
      ...changes,
    }),
  );

export const refresh = (base: string, clientId: string, token: string, changes: object = {}) =>
  send(
    base,
    '/oauth/token',
    form({ grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...changes }),
  );

/** A program that a person has let in. */
export async function connected(
  service: { readonly base: string },
  ann: PlainBrowser,
  changes: Readonly<Record<string, string | null>> = {},
): Promise<Connected> {
  const { base } = service;
  const { json: client } = await register(service);
  const { verifier, path } = asking(client.client_id, base, changes);
  const back = await answered(ann, base, path);
  const code = back.searchParams.get('code') ?? '';
  const { json: tokens } = await exchange(base, client.client_id, code, verifier);
  return { clientId: client.client_id, code, verifier, tokens };
}

/** The status of a request to the REST API with this token. */
export const restStatus = async (base: string, token: string): Promise<number> =>
  (await fetch(`${base}/api/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status;

/** The same at the assistants' door. */
export const mcpStatus = async (base: string, token: string): Promise<number> =>
  (
    await fetch(`${base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      }),
    })
  ).status;
