// Programs that act for people: the protocol, from registration to refused tokens.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import {
  answered,
  asking,
  connected,
  desktop,
  exchange,
  form,
  mcpStatus,
  newBrowser,
  person,
  redirect,
  refresh,
  register,
  restStatus,
  send,
} from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let service: TestService;
let base = '';

beforeAll(async () => {
  service = await services.start({ worker: false, config: { trustProxy: 'true' } });
  base = service.base;
});

const tables = async (): Promise<string> =>
  JSON.stringify(await service.stores.database.kysely.selectFrom('program_records').selectAll().execute());

describe('metadata', () => {
  it('names our own issuer, endpoints and S256', slow, async () => {
    const resource = await (await fetch(`${base}/.well-known/oauth-protected-resource/mcp`)).json();
    expect(resource).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] });
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const found = await (await fetch(`${base}/.well-known/${name}`)).json();
      expect(found).toMatchObject({
        issuer: base,
        authorization_endpoint: `${base}/oauth/authorize`,
        token_endpoint: `${base}/oauth/token`,
        registration_endpoint: `${base}/oauth/register`,
        revocation_endpoint: `${base}/oauth/revoke`,
        jwks_uri: `${base}/oauth/keys`,
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
        authorization_response_iss_parameter_supported: true,
      });
    }
    const { keys } = (await (await fetch(`${base}/oauth/keys`)).json()) as { keys: Record<string, unknown>[] };
    expect(keys).toEqual([expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })]);
    expect(keys[0]).not.toHaveProperty('d');
  });

  it('speaks of the name that was asked, and of no other', slow, async () => {
    const local = base.replace('127.0.0.1', 'localhost');
    expect(await (await fetch(`${local}/.well-known/oauth-authorization-server`)).json()).toMatchObject({
      issuer: local,
    });
    const { ann, account } = await person(service);
    const { tokens } = await connected(service, ann);
    expect(decodeJwt(tokens.access_token)).toMatchObject({ iss: base, sub: account.id });
  });
});

describe('a program that a person lets in', () => {
  it('gets a token for this person, at the doors that it is for', slow, async () => {
    const { ann, account } = await person(service, 4321);
    const { tokens, clientId } = await connected(service, ann);
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: `${base}/mcp`, sub: account.id, client_id: clientId });
    expect(await restStatus(base, tokens.access_token)).toBe(200);
    expect(await mcpStatus(base, tokens.access_token)).toBe(200);
    const models = await fetch(`${base}/v1/models`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    expect(models.status).toBe(200);
    const seen = await fetch(`${base}/api/v1/account`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    expect(await seen.json()).toMatchObject({ balance: 4321 });
  });

  it('with a token for the REST API is refused by the assistants’ door', slow, async () => {
    const { ann } = await person(service);
    for (const resource of [base, `${base}/`]) {
      const { tokens } = await connected(service, ann, { resource });
      expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: base });
      expect(await restStatus(base, tokens.access_token)).toBe(200);
      expect(await mcpStatus(base, tokens.access_token)).toBe(401);
    }
  });

  it('that names no resource gets a token for all doors', async () => {
    const { ann } = await person(service);
    const { tokens } = await connected(service, ann, { resource: null });
    expect(await mcpStatus(base, tokens.access_token)).toBe(200);
  });

  it('asks for another service’s token in vain', async () => {
    const { ann } = await person(service);
    const { json } = await register(service);
    const { status, to, text } = await ann.get(
      asking(json.client_id, base, { resource: 'https://elsewhere.test/mcp' }).path,
    );
    // Nobody has let it in: the browser stays here.
    expect([status, to]).toEqual([400, null]);
    expect(text).toContain('resource');
  });

  it('refreshes; the token before is of no use, and when it comes back after a while, all of them end', async () => {
    const { ann } = await person(service);
    const { tokens, clientId } = await connected(service, ann);
    const second = await refresh(base, clientId, tokens.refresh_token, { scope: 'openid whatever' });
    expect(second.status).toBe(200);
    expect(second.json.refresh_token).not.toBe(tokens.refresh_token);
    expect(decodeJwt(second.json.access_token)).toMatchObject({ aud: `${base}/mcp` });
    // The answer was lost, or two processes of the program refresh at once.
    const again = await refresh(base, clientId, tokens.refresh_token);
    expect(again.status).toBe(200);
    expect(again.json.refresh_token).toBe(second.json.refresh_token);
    await service.stores.database.query(
      "update program_records set used_at = used_at - interval '31 seconds' where kind = 'RefreshToken' and used_at " +
        'is not null',
    );
    const stolen = await refresh(base, clientId, tokens.refresh_token);
    expect([stolen.status, stolen.json.error]).toEqual([400, 'invalid_grant']);
    for (const token of [second.json.refresh_token, again.json.refresh_token])
      expect((await refresh(base, clientId, token)).status).toBe(400);
    for (const token of [tokens.access_token, second.json.access_token])
      expect(await restStatus(base, token)).toBe(401);
  });

  it('of another client cannot use its tokens and codes', async () => {
    const { ann } = await person(service);
    const { tokens } = await connected(service, ann);
    const { json: other } = await register(service);
    expect((await refresh(base, other.client_id, tokens.refresh_token)).json.error).toBe('invalid_grant');
    const { verifier, path } = asking(other.client_id, base);
    const code = (await answered(ann, base, path)).searchParams.get('code') ?? '';
    const { json: third } = await register(service);
    expect((await exchange(base, third.client_id, code, verifier)).json.error).toBe('invalid_grant');
    expect((await exchange(base, other.client_id, code, verifier)).status).toBe(200);
  });

  it('with a secret must show it; the secret is stored as a hash', async () => {
    const { ann } = await person(service);
    const { json: client } = await register(service, {
      ...desktop,
      redirect_uris: ['https://assistant.test/callback'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(client.application_type).toBe('web');
    expect(await tables()).not.toContain(client.client_secret);
    const there = { redirect_uri: 'https://assistant.test/callback' };
    const { verifier, path } = asking(client.client_id, base, there);
    const code = (await answered(ann, base, path)).searchParams.get('code') ?? '';
    for (const client_secret of ['', 'guessed']) {
      const { status } = await exchange(base, client.client_id, code, verifier, { ...there, client_secret });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    const { client_secret } = client;
    expect((await exchange(base, client.client_id, code, verifier, { ...there, client_secret })).status).toBe(200);
  });

  it('acts for the person who consented, not for another one in the same browser', async () => {
    const [ann, bob] = [await person(service), await person(service)];
    const first = await connected(service, ann.ann);
    // Somebody else signs in there, and connects the same program.
    const { token } = await service.operator.createSignInLink(bob.account.id, 60);
    await ann.ann.send(`/sign-in/${token}`, {});
    const { verifier, path } = asking(first.clientId, base);
    const code = (await answered(ann.ann, base, path)).searchParams.get('code') ?? '';
    const { json } = await exchange(base, first.clientId, code, verifier);
    expect(decodeJwt(json.access_token).sub).toBe(bob.account.id);
    expect(decodeJwt(first.tokens.access_token).sub).toBe(ann.account.id);
    expect(await restStatus(base, first.tokens.access_token)).toBe(200);
  });
});

describe('what is stored', () => {
  it('has neither codes nor tokens nor the questions’ ids', async () => {
    const { ann } = await person(service);
    const { json: client } = await register(service);
    const { verifier, path } = asking(client.client_id, base);
    const asked = new URL((await ann.get(path)).to ?? '', base).pathname;
    expect(await tables()).not.toContain(asked.split('/').at(-1));
    const { to } = await ann.submit(asked, asked, { answer: 'allow' });
    const code = new URL((await ann.get(to ?? '')).to ?? '').searchParams.get('code') ?? '';
    expect(await tables()).not.toContain(code);
    const { json: tokens } = await exchange(base, client.client_id, code, verifier);
    const stored = await tables();
    for (const secret of [tokens.access_token, tokens.refresh_token, code]) expect(stored).not.toContain(secret);
    const ids = (await service.stores.programs.list(client.accountId ?? '')).length;
    expect(ids).toBe(0);
  });
});

describe('a code', () => {
  it('works once; when it comes again, its tokens end', async () => {
    const { ann } = await person(service);
    const { tokens, clientId, code, verifier } = await connected(service, ann);
    expect(await restStatus(base, tokens.access_token)).toBe(200);
    const replay = await exchange(base, clientId, code, verifier);
    expect([replay.status, replay.json.error]).toEqual([400, 'invalid_grant']);
    expect(await restStatus(base, tokens.access_token)).toBe(401);
    expect((await refresh(base, clientId, tokens.refresh_token)).status).toBe(400);
  });

  it('of several requests at once gives tokens to one at most', async () => {
    const { ann } = await person(service);
    const { json: client } = await register(service);
    const { verifier, path } = asking(client.client_id, base);
    const code = (await answered(ann, base, path)).searchParams.get('code') ?? '';
    const all = await Promise.all(Array.from({ length: 5 }, () => exchange(base, client.client_id, code, verifier)));
    expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(all.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(4);
    for (const { json } of all) if (json.access_token) expect(await restStatus(base, json.access_token)).toBe(401);
  });

  it('needs its verifier, its redirect, and a challenge by S256', async () => {
    const { ann } = await person(service);
    const { json: client } = await register(service);
    const { verifier, path } = asking(client.client_id, base);
    const code = (await answered(ann, base, path)).searchParams.get('code') ?? '';
    const other = asking(client.client_id, base).verifier;
    for (const [given, changes] of [
      [other, {}],
      ['', {}],
      [verifier, { redirect_uri: 'http://127.0.0.1:1/callback' }],
    ] as const)
      expect((await exchange(base, client.client_id, code, given, changes)).json.error).toMatch(/^invalid_/);
    expect((await exchange(base, client.client_id, code, verifier)).status).toBe(200);
    for (const changes of [{ code_challenge: null, code_challenge_method: null }, { code_challenge_method: 'plain' }]) {
      const { status, to } = await ann.get(asking(client.client_id, base, changes).path);
      expect([status, to]).toEqual([400, null]);
    }
  });

  it('goes to any port of a program on this machine, and to no redirect that is not registered', async () => {
    const { ann } = await person(service);
    const { json: client } = await register(service, { ...desktop, redirect_uris: ['http://localhost/callback'] });
    expect(client.application_type).toBe('native');
    const there = { redirect_uri: 'http://localhost:50123/callback' };
    const back = await answered(ann, base, asking(client.client_id, base, there).path);
    expect(back.href).toMatch(/^http:\/\/localhost:50123\/callback\?code=[\w-]+&state=as-it-was&iss=/);
    expect(back.searchParams.get('iss')).toBe(base);
    for (const redirect_uri of [
      'https://evil.test/callback',
      'http://localhost/other',
      'http://evil.test/callback',
      'http://localhost:50123/callback#x',
      'http://localhost.evil.test/callback',
    ]) {
      const { status, to, text } = await ann.get(asking(client.client_id, base, { redirect_uri }).path);
      expect([redirect_uri, status, to]).toEqual([redirect_uri, 400, null]);
      expect(text).toContain('redirect_uri');
      expect(text).not.toMatch(/href="https?:/);
    }
  });

  it('and tokens expire by the database’s clock', async () => {
    const { ann } = await person(service);
    const { json: client } = await register(service);
    const { verifier, path } = asking(client.client_id, base);
    const code = (await answered(ann, base, path)).searchParams.get('code') ?? '';
    const later = async (kind: string): Promise<unknown> =>
      service.stores.database.query(`update program_records set expires_at = clock_timestamp() where kind = $1`, [
        kind,
      ]);
    await later('AuthorizationCode');
    expect((await exchange(base, client.client_id, code, verifier)).json.error).toBe('invalid_grant');
    const { tokens, clientId } = await connected(service, ann);
    await later('RefreshToken');
    expect((await refresh(base, clientId, tokens.refresh_token)).json.error).toBe('invalid_grant');
    expect(await restStatus(base, tokens.access_token)).toBe(200);
    await later('Grant');
    expect(await restStatus(base, tokens.access_token)).toBe(401);
    expect(await service.service.programs?.list((await person(service)).account)).toEqual([]);
  });
});

describe('the question of consent', () => {
  it('says who asks, what for, and where the code goes; it is asked each time', async () => {
    const { ann, account } = await person(service);
    const { json: client } = await register(service, { ...desktop, client_name: 'Batch\u202e <b>cleaner</b>\n' });
    for (const _ of [1, 2]) {
      const { to } = await ann.get(asking(client.client_id, base).path);
      const { text, answer } = await ann.get(to ?? '');
      expect(text).toContain('Batch &lt;b>cleaner&lt;/b>');
      expect(text).toContain('127.0.0.1:41573');
      expect(text).toContain(account.name);
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self' http://127.0.0.1:41573;");
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const asked = new URL(to ?? '', base).pathname;
      await ann.submit(asked, asked, { answer: 'allow' });
    }
  });

  it.each([
    ['http://[::1]:8123/callback', 'http:'],
    ['com.example.app://mcp/callback', 'com.example.app:'],
    ['https://claude.test/api/callback', 'https://claude.test'],
  ])('lets the browser go on to %s, and nowhere else', async (redirect_uri, source) => {
    const { ann } = await person(service);
    const { json: client } = await register(service, { ...desktop, redirect_uris: [redirect_uri] });
    const { path } = asking(client.client_id, base, { redirect_uri });
    const { answer } = await ann.get((await ann.get(path)).to ?? '');
    expect(answer.headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`);
    expect((await answered(ann, base, path)).href).toMatch(redirect_uri.slice(0, 12));
  });

  it('refused gives an error and no code', async () => {
    const { ann } = await person(service);
    const { json: client } = await register(service);
    const back = await answered(ann, base, asking(client.client_id, base).path, 'refuse');
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'as-it-was',
      iss: base,
    });
    expect(back.searchParams.has('code')).toBe(false);
  });

  it('leads those who are not signed in to the sign-in and back', async () => {
    const { account } = await service.account();
    const { json: client } = await register(service);
    const ann = newBrowser(service);
    const { to: page } = await ann.get(asking(client.client_id, base).path);
    const { to } = await ann.get(page ?? '');
    const asked = new URL(page ?? '').pathname;
    expect(to).toBe(`/sign-in?next=${encodeURIComponent(asked)}`);
    const { token } = await service.operator.createSignInLink(account.id, 60);
    await ann.send(`/sign-in/${token}`, {});
    expect((await ann.get(asked)).text).toContain('Batch cleaner');
  });

  it('cannot be answered by another site, without the page’s token, twice, or in another browser', async () => {
    const [{ ann }, bob] = [await person(service), await person(service)];
    const { json: client } = await register(service);
    const { to } = await ann.get(asking(client.client_id, base).path);
    const asked = new URL(to ?? '').pathname;
    const { text } = await ann.get(asked);
    const token = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect((await ann.send(asked, { answer: 'allow', form: token }, 'https://evil.test')).status).toBe(403);
    expect((await ann.send(asked, { answer: 'allow', form: 'guessed' })).status).toBe(403);
    // The attacker sends the victim a link to the question of the attacker's own request.
    expect((await bob.ann.get(asked)).status).toBe(404);
    expect((await bob.ann.submit('/account', asked, { answer: 'allow' })).status).toBe(404);
    const first = await ann.send(asked, { answer: 'allow', form: token });
    expect(first.status).toBe(303);
    expect((await ann.send(asked, { answer: 'allow', form: token })).status).toBe(404);
    // Nor can another browser fetch the code.
    expect((await bob.ann.get(first.to ?? '')).status).toBe(400);
    expect((await ann.get(first.to ?? '')).to).toContain(`${redirect}?code=`);
    expect((await ann.get(first.to ?? '')).status).toBe(400);
  });

  it('believes no session cookie of the protocol', async () => {
    const { ann } = await person(service);
    const { json: client } = await register(service);
    ann.cookies.set('svc.oauth', 'planted');
    await answered(ann, base, asking(client.client_id, base).path);
    expect(ann.cookies.get('svc.oauth')).toBe('planted');
    const rows = await service.stores.database.query("select 1 from program_records where kind = 'Session'");
    expect(rows.rowCount).toBe(0);
  });
});

describe('what a person let in', () => {
  it('is listed on the account’s page and ended there, from the next request on', async () => {
    const [{ ann, account }, bob] = [await person(service), await person(service)];
    const { tokens, clientId } = await connected(service, ann);
    expect(await restStatus(base, tokens.access_token)).toBe(200);
    const { text } = await ann.get('/account');
    expect(text).toContain('Batch cleaner');
    expect(text).toContain('goes back to 127.0.0.1:41573');
    const [program] = (await service.service.programs?.list(account)) ?? [];
    expect(program?.lastUsedAt).not.toBeNull();
    expect((await bob.ann.submit('/account', '/account/programs/end', { program: program?.id ?? '' })).status).toBe(
      404,
    );
    expect(await restStatus(base, tokens.access_token)).toBe(200);
    expect((await ann.submit('/account', '/account/programs/end', { program: program?.id ?? '' })).to).toBe('/account');
    expect(await restStatus(base, tokens.access_token)).toBe(401);
    expect((await refresh(base, clientId, tokens.refresh_token)).json.error).toBe('invalid_grant');
    expect((await ann.get('/account')).text).not.toContain('Batch cleaner');
  });

  it.each([
    [
      'signing out everywhere else',
      async ({ ann }) => void (await ann.submit('/account', '/account/sessions/end-others')),
    ],
    ['the operator’s end of sessions', async ({ account }) => void (await service.operator.endSessions(account.id))],
    [
      'the deletion of the account',
      async ({ ann, account }) => void (await ann.submit('/account', '/account/delete', { confirmation: account.id })),
    ],
  ] as [string, (who: Awaited<ReturnType<typeof person>>) => Promise<void>][])('ends with %s', async (_name, end) => {
    const who = await person(service);
    const { tokens, clientId } = await connected(service, who.ann);
    await end(who);
    expect(await restStatus(base, tokens.access_token)).toBe(401);
    expect((await refresh(base, clientId, tokens.refresh_token)).status).toBe(400);
  });

  it('is replaced when the same program asks again', async () => {
    const { ann, account } = await person(service);
    const first = await connected(service, ann);
    const { verifier, path } = asking(first.clientId, base);
    const code = (await answered(ann, base, path)).searchParams.get('code') ?? '';
    expect((await exchange(base, first.clientId, code, verifier)).status).toBe(200);
    expect(await service.service.programs?.list(account)).toHaveLength(1);
    expect(await restStatus(base, first.tokens.access_token)).toBe(401);
  });

  it.each(['refresh_token', 'access_token'] as const)('ends when the program revokes its %s', async (which) => {
    const { ann } = await person(service);
    const { tokens, clientId } = await connected(service, ann);
    const { json: other } = await register(service);
    await send(base, '/oauth/revoke', form({ client_id: other.client_id, token: tokens[which] }));
    expect(await restStatus(base, tokens.access_token)).toBe(200);
    for (const token of ['a.b.c', 'unknown'])
      expect((await send(base, '/oauth/revoke', form({ client_id: clientId, token }))).status).toBe(200);
    const { status } = await send(base, '/oauth/revoke', form({ client_id: clientId, token: tokens[which] }));
    expect(status).toBe(200);
    expect(await restStatus(base, tokens.access_token)).toBe(401);
    expect((await refresh(base, clientId, tokens.refresh_token)).status).toBe(400);
  });
});
