// Registration and tokens under hostile input, without the setting, and in several processes.
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/service/adapters/postgres/database/database.ts';
import { removeStale } from '../../../../src/service/adapters/postgres/housekeeping.ts';
import { quietLog } from '../../../fixtures/service/database.ts';
import { useServices } from '../../../fixtures/service/service.ts';
import { useApps } from '../support.ts';
import {
  asking,
  connected,
  desktop,
  exchange,
  form,
  person,
  refresh,
  register,
  restStatus,
  send,
  signedIn,
} from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const start = useApps();

describe('registration', () => {
  it('refuses what is no registration, with the reason', slow, async () => {
    const service = await services.start({ worker: false, config: { trustProxy: 'true' } });
    const wrong: readonly (readonly [unknown, string])[] = [
      ['{', 'invalid_client_metadata'],
      ['[]', 'invalid_client_metadata'],
      ['null', 'invalid_client_metadata'],
      ['"x"', 'invalid_client_metadata'],
      [{}, 'invalid_redirect_uri'],
      [{ redirect_uris: 'https://a.test' }, 'invalid_redirect_uri'],
      [{ redirect_uris: [] }, 'invalid_redirect_uri'],
      [{ redirect_uris: [1] }, 'invalid_redirect_uri'],
      [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `https://a.test/${n}`) }, 'invalid_redirect_uri'],
      [{ redirect_uris: [`https://a.test/${'a'.repeat(1000)}`] }, 'invalid_redirect_uri'],
      ...[
        'http://a.test/callback',
        'http://127.0.0.1.a.test/',
        'https://user:secret@a.test/',
        'https://a.test/#part',
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'ms-msdt:/id',
        'cursor://anysphere.mcp/callback',
        'com.:/callback',
        'not an address',
      ].map((uri) => [{ redirect_uris: [uri] }, 'invalid_redirect_uri'] as const),
      [{ ...desktop, client_name: { toString: 1 } }, 'invalid_client_metadata'],
      [{ ...desktop, grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
      [{ ...desktop, grant_types: 'authorization_code' }, 'invalid_client_metadata'],
      [{ ...desktop, token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    ];
    for (const [body, error] of wrong) {
      const { status, json } = await register(service, body as object);
      expect([body, status, json.error]).toEqual([body, 400, error]);
      expect(json.error_description.length).toBeGreaterThan(10);
    }
    const huge = await register(service, { ...desktop, client_name: 'a'.repeat(20_000) });
    expect(huge.status).toBe(413);
    expect((await service.stores.database.query('select 1 from program_records')).rowCount).toBe(0);
  });

  it('keeps only what it needs, fetches nothing, and reads prototypes as names', slow, async () => {
    const service = await services.start({ worker: false, config: { trustProxy: 'true' } });
    const { status, json } = await register(
      service,
      `{"__proto__":{"token_endpoint_auth_method":"none"},"client_name":"${'n'.repeat(200)}","scope":"claudeai",
        "logo_uri":"https://evil.test/logo","jwks_uri":"https://evil.test/keys","sector_identifier_uri":"https://evil.test/x",
        "client_id":"chosen","client_secret":"chosen","redirect_uris":["com.example.app:/callback"],
        "grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"]}` as never,
    );
    expect(status).toBe(201);
    expect(json).toMatchObject({
      application_type: 'native',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['com.example.app:/callback'],
    });
    expect(json.client_name).toHaveLength(80);
    expect([json.client_id, json.client_secret]).not.toContain('chosen');
    expect(JSON.stringify(json)).not.toContain('evil.test');
  });

  it('is limited for one address, and in number for all', slow, async () => {
    const service = await services.start({ worker: false });
    const statuses = [];
    for (let n = 0; n < 30; n += 1) statuses.push((await send(service.base, '/oauth/register', desktop)).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    // Far more from many addresses: the oldest that were never used go, used ones stay.
    const { programs, database } = service.stores;
    const used = 'used'.padEnd(64, '0');
    const put = (id: string, kind = 'Client', clientId: string | null = null) =>
      programs.put({ kind, id, accountId: null, clientId, grantId: null, payload: {}, seconds: 60 });
    await put(used);
    await put('code', 'AuthorizationCode', used);
    await database.query(
      `insert into program_records (kind, id, payload, created_at, expires_at)
       select 'Client', 'flood' || n, '{}', now() - n * interval '1 second', now() + interval '1 day'
       from generate_series(1, 12000) n`,
    );
    await put('newest');
    const { rows } = await database.query("select id from program_records where kind = 'Client'");
    const ids = rows.map(({ id }) => String(id));
    expect(ids).toEqual(expect.arrayContaining([used, 'newest', 'flood1']));
    expect(ids.length).toBe(10_001);
  });

  it('of programs that no person lets in ends after a day; housekeeping deletes what has expired', slow, async () => {
    const service = await services.start({ worker: false, config: { trustProxy: 'true' } });
    const { ann, account } = await person(service);
    await connected(service, ann);
    await register(service);
    const ages = async (): Promise<readonly number[]> => {
      const { rows } = await service.stores.database.query(
        'select extract(epoch from expires_at - created_at)::float8 / 86400 as days from program_records where kind ' +
          "= 'Client' order by 1",
      );
      return rows.map(({ days }) => Math.round(Number(days)));
    };
    expect(await ages()).toEqual([1, 366]);
    await service.stores.database.query("update program_records set expires_at = clock_timestamp() - interval '1 s'");
    await removeStale(service.stores.database, new Date(), service.config);
    expect((await service.stores.database.query('select 1 from program_records')).rowCount).toBe(0);
    expect(await service.service.programs?.list(account)).toEqual([]);
  });
});

describe('the token endpoint', () => {
  it('takes forms alone, answers in the form of RFC 6749, and is limited', slow, async () => {
    const service = await services.start({ worker: false });
    const { base } = service;
    expect((await send(base, '/oauth/token', { grant_type: 'authorization_code' })).status).toBeGreaterThanOrEqual(400);
    for (const body of ['', 'grant_type=password&username=a&password=b', 'grant_type=client_credentials', '%ff%fe=%']) {
      const { status, json } = await send(base, '/oauth/token', form(Object.fromEntries(new URLSearchParams(body))));
      expect([body, status >= 400 && status < 500, typeof json.error]).toEqual([body, true, 'string']);
    }
    const huge = await send(base, '/oauth/token', form({ code: 'a'.repeat(20_000) }));
    expect(huge.status).toBe(413);
    const statuses = [];
    for (let n = 0; n < 130; n += 1) statuses.push((await send(base, '/oauth/token', form({ code: 'x' }))).status);
    expect(statuses.at(-1)).toBe(429);
  });

  it('takes no requests of other sites’ pages and other names', async () => {
    const service = await services.start({ worker: false });
    const { status, json } = await send(service.base, '/oauth/token', form({ code: 'x' }), {
      origin: 'https://evil.test',
    });
    expect([status, json.error]).toEqual([403, 'invalid_request']);
    const { body, statusCode } = await service.app.inject({
      url: '/.well-known/oauth-authorization-server',
      headers: { host: 'evil.test' },
    });
    expect([statusCode, body.includes('evil.test/oauth')]).toEqual([403, false]);
  });
});

describe('access tokens', () => {
  let clock = 0;
  const startAged = (): ReturnType<typeof services.start> => {
    clock = 0;
    return services.start({
      worker: false,
      config: { trustProxy: 'true' },
      now: () => new Date(Date.now() + clock),
    });
  };

  it(
    'are signed by a key that is made at first use, and still taken after another one has replaced it',
    slow,
    async () => {
      const service = await startAged();
      const { programKeys } = service.stores;
      expect(await programKeys.list()).toEqual([]);
      const { ann } = await person(service);
      const before = await connected(service, ann);
      const [first] = await programKeys.list();
      const { makeSigningKey } = await import('../../../../src/service/adapters/oauth/signing-keys.ts');
      const { rotateKeys } = await import('../../../../src/service/rules/shared/token-keys.ts');
      const rotate = async (): Promise<void> =>
        rotateKeys(programKeys, new Date(Date.now() + clock), { days: 30, longestSeconds: 3600, make: makeSigningKey });
      await rotate();
      expect(await programKeys.list()).toHaveLength(1);
      const day = 86_400_000;
      clock = 31 * day;
      await rotate();
      expect(await programKeys.list()).toHaveLength(2);
      const published = async (): Promise<string> => (await fetch(`${service.base}/oauth/keys`)).text();
      // Not every process knows it yet.
      expect(await published()).toContain(first?.id);
      clock += 3 * 60_000;
      const after = await refresh(service.base, before.clientId, before.tokens.refresh_token);
      const kid = (token: string): string =>
        (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
      expect(kid(before.tokens.access_token)).toBe(first?.id);
      expect(kid(after.json.access_token)).not.toBe(first?.id);
      clock += 2 * 3_600_000;
      await rotate();
      clock += 61_000;
      expect(await published()).not.toContain(first?.id);
      expect(await programKeys.list()).toHaveLength(1);
    },
  );

  it('end when the operator replaces the keys, for fear that a copy of the database has leaked', slow, async () => {
    const service = await startAged();
    const { ann } = await person(service);
    const { tokens, clientId } = await connected(service, ann);
    expect(await restStatus(service.base, tokens.access_token)).toBe(200);
    await service.operator.replaceLinkKey(true);
    clock = 61_000;
    expect(await restStatus(service.base, tokens.access_token)).toBe(401);
    const { json } = await refresh(service.base, clientId, tokens.refresh_token);
    expect(await restStatus(service.base, json.access_token)).toBe(200);
  });

  it('that another key signed, or of another shape, are refused', slow, async () => {
    const service = await services.start({ worker: false, config: { trustProxy: 'true' } });
    const { base } = service;
    const { ann, account } = await person(service);
    const { tokens } = await connected(service, ann);
    const { SignJWT, decodeJwt, importJWK } = await import('jose');
    const [key] = await service.stores.programKeys.list();
    const own = await importJWK(JSON.parse(key?.secret ?? '{}') as object, 'ES256');
    const claims = decodeJwt(tokens.access_token);
    const signed = (changes: object, header: object = {}): Promise<string> =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'ES256', kid: key?.id ?? '', typ: 'at+jwt', ...header })
        .sign(own);
    expect(await restStatus(base, await signed({}))).toBe(200);
    for (const changes of [
      { aud: 'https://elsewhere.test/mcp' },
      { aud: [`${base}/mcp`] },
      { aud: `${base}/other` },
      { iss: 'https://evil.test', aud: 'https://evil.test' },
      { iss: 'nonsense', aud: 'nonsense' },
      { grant: 'f'.repeat(64) },
      { grant: 7 },
      { exp: Math.floor(Date.now() / 1000) - 60 },
    ])
      expect([changes, await restStatus(base, await signed(changes))]).toEqual([changes, 401]);
    expect(await restStatus(base, await signed({}, { typ: 'JWT' }))).toBe(401);
    expect(await restStatus(base, `${tokens.access_token.slice(0, -4)}AAAA`)).toBe(401);
    expect(account.id).toBe(claims.sub);
  });
});

describe('two API processes on one database', () => {
  it('share programs, questions, codes, tokens and keys', slow, async () => {
    // One public address, as behind a load balancer.
    const config = { trustProxy: 'true', baseUrl: 'https://audio.test' };
    const first = await services.start({ worker: false, config });
    const database = openDatabase({ url: first.stores.database.url, log: quietLog });
    const second = await services.start({
      worker: false,
      config,
      stores: await services.databases.freshStores(database),
    });
    const issuer = 'https://audio.test';
    const { json: client } = await register(first);
    const { account } = await first.account();
    const ann = await signedIn(second, account.id, issuer);
    const elsewhere = await signedIn(first, account.id, issuer);
    const { verifier, path } = asking(client.client_id, issuer);
    const { to } = await elsewhere.get(path);
    const question = new URL(to ?? '').pathname;
    for (const [name, value] of elsewhere.cookies) if (name.startsWith('svc.consent')) ann.cookies.set(name, value);
    const { text } = await ann.get(question);
    const token = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const allowed = await ann.send(question, { form: token, answer: 'allow' }, issuer);
    expect(allowed.to).toMatch(/^https:\/\/audio\.test\/oauth\/authorize\//);
    const back = new URL((await elsewhere.get(new URL(allowed.to ?? '').pathname)).to ?? '');
    expect(back.searchParams.get('iss')).toBe(issuer);
    const { json } = await exchange(second.base, client.client_id, back.searchParams.get('code') ?? '', verifier);
    for (const { base } of [first, second]) expect(await restStatus(base, json.access_token)).toBe(200);
    const program = (await first.service.programs?.list(account))?.[0]?.id ?? '';
    expect((await ann.send('/account/programs/end', { form: token, program }, issuer)).to).toBe('/account');
    for (const { base } of [first, second]) expect(await restStatus(base, json.access_token)).toBe(401);
    const answersAtOnce = await Promise.all([first, second].map(({ base }) => fetch(`${base}/oauth/keys`)));
    const [here, there] = await Promise.all(answersAtOnce.map((answer) => answer.text()));
    expect(here).toBe(there);
  });
});

describe('without the authorization server', () => {
  it.each([
    ['the setting off', { oauthServer: 'false' }],
    ['no website', { site: 'false' }],
    ['an issuer of the operator’s own', { oauthIssuer: 'https://login.test', oauthAudience: 'earshot' }],
  ])('%s: no metadata, no routes, no keys', async (_name, config) => {
    const service = await services.start({ worker: false, config });
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', '/oauth/keys'])
      expect([path, (await fetch(service.base + path)).status]).toEqual([path, 404]);
    for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke', '/connect/x'])
      expect([path, (await send(service.base, path, desktop)).status]).toEqual([path, 404]);
    expect((await fetch(`${service.base}/oauth/authorize`)).status).toBe(404);
    const resource = await (await fetch(`${service.base}/.well-known/oauth-protected-resource/mcp`)).json();
    expect((resource as { authorization_servers?: string[] }).authorization_servers).toEqual(
      'oauthIssuer' in config ? ['https://login.test'] : undefined,
    );
    if (!('site' in config)) {
      const ann = await signedIn(service, (await service.account()).account.id);
      expect((await ann.get('/account')).text).not.toContain('Programs that act for you');
    }
    expect(await service.stores.programKeys.list()).toEqual([]);
  });

  it('a service of plain functions has no such routes', async () => {
    const { base } = await start();
    expect((await fetch(`${base}/.well-known/oauth-authorization-server`)).status).toBe(404);
  });
});
