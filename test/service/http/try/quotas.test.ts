// Uses a day: exact under a race, by address and by nothing else, back after failures and at midnight; and what a key
// changes.
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { objectsFolder } from '../../../../src/service/serve/objects.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia, named } from './fake-media.ts';
import { ended, type Fields, tryTool, type TryAnswer } from './support.ts';
import { createGate, eventually, until } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const media = createFakeMedia();
let service: TestService;
/** A service for one test. */
const extra: typeof services.start = async (options) => {
  const made = await services.start(options);
  onTestFinished(async () => {
    await made.stop();
    await made.stores.close();
    await made.stores.enqueuer.close();
    await made.stores.queue.stop(0);
    await made.stores.database.close();
  });
  return made;
};
let clock = 0;
const now = (): Date => new Date(Date.now() + clock);
let address = 0;
const somewhere = (): string => `198.51.100.${(address += 1)}`;
let bytes = 1000;
/** Each one another, as far as its bytes go. */
const file = (name = '20s.wav'): Fields => [['file', named(name, (bytes += 1))]];
const denoise = (from: string, name?: string, headers: Record<string, string> = {}): Promise<TryAnswer> =>
  tryTool(service, 'remove-noise', file(name), { from, headers });
const left = ({ headers }: TryAnswer): number => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
const counts = (answers: readonly TryAnswer[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const { status, json } of answers) {
    const name = status === 429 ? `429 ${json.error.code}` : String(status);
    found[name] = (found[name] ?? 0) + 1;
  }
  return found;
};

beforeAll(async () => {
  service = await services.start({ media, now, config: { trustProxy: 'true', jobSlots: '4', addressUploads: '100' } });
});

describe('uses a day', () => {
  it('are three, and three files more may wait, whoever of 50 comes first', slow, async () => {
    const from = somewhere();
    const answers = await Promise.all(Array.from({ length: 50 }, () => denoise(from)));
    expect(counts(answers)).toEqual({ 200: 3, '429 free_limit_reached': 47 });
    expect(answers.filter(({ json }) => json?.error?.details?.finishUrl !== undefined)).toHaveLength(3);
    expect(answers.every(({ json }) => json?.error === undefined || json.error.details.resetsAt)).toBe(true);
    const again = await denoise(from);
    expect([again.status, left(again), again.json.error.details.finishUrl]).toEqual([429, 0, undefined]);
    expect(again.json.error.message).toMatch(/3 files already wait/);
    // Other tools have uses of their own.
    expect((await tryTool(service, 'loudness', file(), { from })).status).toBe(200);
  });

  it('are not all that a file sent again can wait for: it is the one that waits already', slow, async () => {
    const from = somewhere();
    for (let use = 0; use < 3; use += 1) expect((await denoise(from)).status).toBe(200);
    const same: Fields = [['file', named('20s.wav', 77)]];
    const ask = (fields: Fields, slug = 'remove-noise', address = from): Promise<TryAnswer> =>
      tryTool(service, slug, fields, { from: address });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(same)));
    const jobs = answers.map(({ json }) => json.error.details.jobId as string);
    expect(new Set(jobs).size).toBe(1);
    expect(answers.every(({ status, json }) => status === 429 && json.error.details.finishUrl !== undefined)).toBe(
      true,
    );
    // Under another name it is the same; with other options, bytes, or from elsewhere it is not.
    const renamed = await ask([['file', named('21s.wav', 77)]]);
    expect(renamed.json.error.details.jobId).toBe(jobs[0]);
    const other = await ask([...same, ['noise_reduction', '50']]);
    const more = await ask([['file', named('20s.wav', 78)]]);
    const all = [jobs[0], other.json.error.details.jobId, more.json.error.details.jobId];
    expect(new Set(all).size).toBe(3);
    // Nothing is left of what was sent again.
    const files = async (): Promise<number | undefined> => {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from files where status = 'ready' and kind = 'original' and visitor =
          (select visitor from free_runs where id = ${jobs[0]})`.execute(service.stores.database.kysely);
      return rows[0]?.count;
    };
    expect(await files()).toBe(6);
    // Three wait by now, and still it is told its link, and kept as if it had come now.
    const before = (await service.stores.freeRuns.get(jobs[0] ?? ''))?.expiresAt ?? new Date(0);
    clock += 60_000;
    const again = await ask(same);
    const fourth = await ask([['file', named('20s.wav', 79)]]);
    clock -= 60_000;
    expect(again.json.error.details).toMatchObject({ jobId: jobs[0], finishUrl: expect.stringContaining('/finish/') });
    expect(Number((await service.stores.freeRuns.get(jobs[0] ?? ''))?.expiresAt) - Number(before)).toBeGreaterThan(
      50_000,
    );
    expect([fourth.status, fourth.json.error.details.finishUrl]).toEqual([429, undefined]);
    expect(fourth.json.error.message).toMatch(/3 files already wait/);
    expect(await files()).toBe(6);
  });

  it('come back when a run fails, none too many and none too few, also in a race', slow, async () => {
    const from = somewhere();
    const failed = await Promise.all(Array.from({ length: 3 }, () => denoise(from, '20s-fail.wav')));
    expect(failed.map(({ status }) => status)).toEqual([422, 422, 422]);
    const mixed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => denoise(from, index % 2 ? '20s-fail.wav' : '20s.wav')),
    );
    const good = mixed.filter(({ status }) => status === 200).length;
    expect(good).toBeLessThanOrEqual(3);
    const { rows } = await service.stores.database.kysely.executeQuery<{ taken: number }>(
      service.stores.database.kysely
        .selectFrom('free_uses')
        .select('taken')
        .where('subject', '=', service.service.freeRuns.visitor(null, from).subject)
        .compile(),
    );
    expect(rows).toEqual([{ taken: good }]);
  });

  it('come back at midnight UTC, and those of yesterday are given back to yesterday', slow, async () => {
    const from = somewhere();
    const toMidnight = (offsetMs: number): void => {
      const at = new Date();
      clock = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1) - at.getTime() + offsetMs;
    };
    try {
      toMidnight(-3_600_000);
      expect(counts([await denoise(from), await denoise(from), await denoise(from), await denoise(from)])).toEqual({
        200: 3,
        '429 free_limit_reached': 1,
      });
      // A run that is ordered before midnight and fails after it.
      const gate = createGate();
      media.beforeRunEnds = () => gate.opened;
      const runs = media.runs.length;
      const late = denoise(somewhere(), '20s-fail.wav');
      await until('it runs', () => media.runs.length > runs);
      toMidnight(1000);
      gate.open();
      expect([(await late).status, left(await late)]).toEqual([422, 3]);
      const fresh = await denoise(from);
      expect([fresh.status, left(fresh)]).toEqual([200, 2]);
    } finally {
      media.beforeRunEnds = () => Promise.resolve();
      clock = 0;
    }
  });

  it("are an address's: no header, cookie, port or half of an IPv6 address makes another visitor", slow, async () => {
    const network = `2001:db8:${address}:7`;
    const answers = [
      await denoise(`${network}::1`),
      await denoise(`${network}:ffff:1:2:3`, undefined, {
        cookie: '__Secure-svc.session_token=x',
        'user-agent': 'other',
      }),
      await denoise(`[${network}::9]:4711`),
      await denoise(`6.6.6.6, ${network}::2`, undefined, {
        forwarded: 'for=9.9.9.9',
        'x-real-ip': '9.9.9.9',
        'x-client-ip': '8.8.8.8',
      }),
    ];
    expect(counts(answers)).toEqual({ 200: 3, '429 free_limit_reached': 1 });
    expect((await denoise(`2001:db8:${address}:8::1`)).status).toBe(200);
    const direct = await extra({ media, config: { addressUploads: '100' } });
    const behindNobody = await Promise.all(
      Array.from({ length: 5 }, (_, index) => tryTool(direct, 'remove-noise', file(), { from: `203.0.113.${index}` })),
    );
    expect(counts(behindNobody)).toEqual({ 200: 3, '429 free_limit_reached': 2 });
  });

  it('go by the networks of trusted proxies, as far back as those reach', slow, async () => {
    const proxied = await extra({
      media,
      config: { trustedProxies: '127.0.0.1, 10.0.0.0/8', addressUploads: '100' },
    });
    const at = (from: string) => tryTool(proxied, 'remove-noise', file(), { from });
    const answers = [
      await at('203.0.113.1, 10.1.2.3'),
      await at('9.9.9.9, 203.0.113.1, 10.9.9.9, 10.1.2.3'),
      await at('8.8.8.8, 203.0.113.1'),
      await at('7.7.7.7, 203.0.113.1, 10.0.0.1'),
    ];
    expect(counts(answers)).toEqual({ 200: 3, '429 free_limit_reached': 1 });
    expect((await at('203.0.113.2, 10.1.2.3')).status).toBe(200);
  });

  it('of media info are twenty, of the whole file, and nothing waits behind them', slow, async () => {
    const from = somewhere();
    const info = () => tryTool(service, 'media-info', file('600s-json.wav'), { from });
    const answers = await Promise.all(Array.from({ length: 25 }, info));
    expect(counts(answers)).toEqual({ 200: 20, '429 free_limit_reached': 5 });
    const whole = answers.find(({ status }) => status === 200);
    expect([whole?.headers.get('svc-processed-seconds'), whole?.headers.get('svc-finish-url')]).toEqual(['600', null]);
    expect(answers.some(({ json }) => json?.error?.details?.finishUrl)).toBe(false);
  });

  it('follow the variant', slow, async () => {
    const b = await extra({ media, config: { freeVariant: 'b', addressUploads: '100' } });
    const cut = await tryTool(b, 'loudness', file('7200s.wav'));
    expect([cut.headers.get('ratelimit-policy'), cut.headers.get('svc-processed-seconds')]).toEqual([
      '"adjust_loudness-daily";q=10;w=86400',
      '3600',
    ]);
    const noise = await tryTool(b, 'remove-noise', file('7200s.wav'));
    expect([noise.headers.get('ratelimit-policy'), noise.headers.get('svc-processed-seconds')]).toEqual([
      '"remove_noise-daily";q=3;w=86400',
      '60',
    ]);
  });
});

describe('the operator', () => {
  it('gives away so many seconds a day to all together, exact in a race; failures come back', slow, async () => {
    const tight = await extra({
      media,
      config: { trustProxy: 'true', freeBudgetSeconds: '100', jobSlots: '4' },
    });
    const at = (name: string) => tryTool(tight, 'loudness', file(name), { from: somewhere() });
    expect((await at('20s-fail.wav')).status).toBe(422);
    const answers = await Promise.all(Array.from({ length: 12 }, () => at('20s.wav')));
    expect(counts(answers)).toEqual({ 200: 5, '429 free_budget_exhausted': 7 });
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
    const { seconds } = await tight.stores.freeRuns.overview(new Date().toISOString().slice(0, 10), new Date());
    expect(seconds).toBe(100);
    // Nobody who pays is concerned.
    const { key } = await tight.account(1000);
    const paid = await tryTool(tight, 'loudness', file('600s.wav'), { headers: { authorization: `Bearer ${key}` } });
    expect([paid.status, paid.headers.get('svc-processed-seconds')]).toEqual([200, '600']);
  });

  it('switches the free tier off: nothing is read, and an account still pays', slow, async () => {
    const off = await extra({ media, config: { freeEnabled: 'false' } });
    const { status, json } = await tryTool(off, 'loudness', file());
    expect([status, json.error.code]).toEqual([403, 'free_disabled']);
    expect(json.error).toMatchObject({
      message: 'Free runs of adjust_loudness are switched off here; with an account a minute costs 1 credit',
      details: { creditsPerMinute: 1 },
    });
    const { key } = await off.account(1000);
    expect((await tryTool(off, 'loudness', file(), { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
  });
});

describe('uploads that arrive at once', () => {
  /** An upload that has begun and does not go on. */
  const begin = async ({ base, config }: TestService, from: string, key?: string): Promise<() => void> => {
    const arriving = (): string[] => readdirSync(join(objectsFolder(config), 'tmp'));
    const before = arriving();
    const end = await new Promise<() => void>((resolve, reject) => {
      const socket = connect(Number(new URL(base).port), '127.0.0.1', () => {
        socket.write(
          'POST /api/try/loudness HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\n' +
            `${key === undefined ? '' : `authorization: Bearer ${key}\r\n`}x-forwarded-for: ${from}\r\n` +
            'content-length: 100000\r\n\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n' +
            '\r\nx',
        );
        resolve(() => socket.destroy());
      });
      socket.on('error', reject);
    });
    await until('its file arrives', () => arriving().some((name) => !before.includes(name)));
    return end;
  };

  it('are two of an address and four of an account; one more is told when to come back', slow, async () => {
    const strict = await extra({ media, config: { trustProxy: 'true' } });
    const from = somewhere();
    const { key } = await strict.account();
    const ends = [await begin(strict, from), await begin(strict, from)];
    const third = await tryTool(strict, 'loudness', file(), { from });
    expect([third.status, third.json.error.code, third.headers.get('retry-after')]).toEqual([
      429,
      'upload_limit_reached',
      '10',
    ]);
    expect((await tryTool(strict, 'loudness', file(), { from: somewhere() })).status).toBe(200);
    for (let count = 0; count < 4; count++) ends.push(await begin(strict, from, key));
    const fifth = await tryTool(strict, 'loudness', file(), { from, headers: { authorization: `Bearer ${key}` } });
    expect([fifth.status, fifth.json.error.code]).toEqual([429, 'upload_limit_reached']);
    for (const end of ends) end();
    // When the service notices that they have gone is its own affair; a refusal uses nothing up.
    const taken = async (options: { from?: string; headers?: Record<string, string> }): Promise<void> =>
      await eventually(async () => expect((await tryTool(strict, 'loudness', file(), options)).status).toBe(200));
    await taken({ from });
    await taken({ headers: { authorization: `Bearer ${key}` } });
  });
});

describe('with a key', () => {
  const keyed = async (credits: number) => {
    const { account, key } = await service.account(credits);
    const headers = { authorization: `Bearer ${key}` };
    return {
      account,
      key,
      ask: (more: Fields = [], name = '600s.wav', extra: Record<string, string> = {}) =>
        tryTool(service, 'remove-noise', [...more, ['file', named(name ?? '20s.wav')]], {
          headers: { ...headers, ...extra },
        }),
    };
  };
  const free = (value: string): Fields => [['free', value]];
  const seconds = ({ headers }: TryAnswer): string | null => headers.get('svc-processed-seconds');

  // The table of the interface, row by row.
  it('pays for the whole file when the balance covers it, and says so', slow, async () => {
    const { ask, account } = await keyed(1000);
    const answer = await ask();
    expect([answer.status, seconds(answer), answer.headers.get('svc-finish-url'), left(answer)]).toEqual([
      200,
      '600',
      null,
      3,
    ]);
    const price = Number(answer.headers.get('svc-full-price-credits'));
    expect((await service.operator.account(account.id)).balance).toBe(1000 - price);
    expect(seconds(await ask(free('false')))).toBe('600');
    // Also once the uses are gone.
    for (const _use of [1, 2, 3]) expect(seconds(await ask(free('true')))).toBe('60');
    const refused = await ask(free('true'));
    expect([refused.status, refused.json.error.code, refused.json.error.details.finishUrl]).toEqual([
      429,
      'free_limit_reached',
      undefined,
    ]);
    expect(seconds(await ask())).toBe('600');
  });

  it('runs the free part where the balance does not cover it, and answers 402 when no use is left', slow, async () => {
    const { ask, account } = await keyed(1);
    const unpaid = await ask(free('false'));
    expect([unpaid.status, unpaid.json.error.nextAction]).toEqual([
      402,
      expect.stringMatching(/^Get \d+ credits? more at http\S+, or process the free part with free=true\.$/),
    ]);
    for (const _use of [1, 2, 3]) {
      const answer = await ask();
      expect([answer.status, seconds(answer)]).toEqual([200, '60']);
      expect(answer.headers.get('svc-finish-url')).toMatch(/\/finish\//);
    }
    const { status, json, headers } = await ask();
    expect([status, json.error.code]).toEqual([402, 'insufficient_balance']);
    expect(json.error.details).toMatchObject({
      price: Number(headers.get('svc-full-price-credits') ?? json.error.details.price),
      available: 1,
    });
    expect(json.error.details.buyUrl).toMatch(new RegExp(`^${service.base}/credits/`));
    // Neither points at the other.
    expect(json.error.nextAction).toMatch(/^Get \d+ credits? more at http\S+\/credits\/\S+\.$/);
    const never = await ask(free('true'));
    expect([never.status, never.json.error.nextAction]).toEqual([
      429,
      expect.stringMatching(/^Wait until \S+, or get \d+ credits? more at http\S+ and run it paid\.$/),
    ]);
    expect(never.json.error.details.buyUrl).toContain('/credits/');
    // There they are bought, and then the whole file runs.
    const shop = json.error.details.buyUrl as string;
    expect(await (await fetch(shop)).text()).toContain(
      '<input type="radio" name="cents" value="1000"/><span class="num">$10.00</span>',
    );
    const buy = (cents: string) =>
      fetch(shop, { method: 'POST', body: new URLSearchParams({ cents }), redirect: 'manual' });
    expect([(await buy('499')).status, (await buy('x')).status]).toEqual([400, 400]);
    expect((await buy('1000')).status).toBe(303);
    const { items } = await service.service.payments.list({ cursor: null, limit: 1 });
    const bought = await service.service.payments.confirm(items[0]?.id ?? '', 1000);
    expect(bought).toMatchObject({ outcome: 'credits', accountId: account.id, jobId: null });
    expect(seconds(await ask(free('false')))).toBe('600');
  });

  it('starts nothing above max_credits', slow, async () => {
    const { ask, account } = await keyed(1000);
    const { status, json } = await ask([['max_credits', '5']]);
    expect([status, json.error.code, json.error.details.limit]).toEqual([402, 'over_spending_cap', 5]);
    expect((await ask([['max_credits', 'x']])).status).toBe(400);
    expect((await service.operator.account(account.id)).balance).toBe(1000);
  });

  it('answers the same job to a repeated request, though its file is sent again', slow, async () => {
    const { ask, account, key } = await keyed(1000);
    const again = { 'idempotency-key': 'one', prefer: 'respond-async' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask([], '600s.wav', again)));
    const ids = new Set(answers.map(({ json }) => json.id));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(ids.size).toBe(1);
    const done = await ended(answers[0]?.json.statusUrl as string);
    const price = 1000 - (await service.operator.account(account.id)).balance;
    expect((await ask([], '600s.wav', { 'idempotency-key': 'one' })).bytes.toString()).toBe('RIFF of 600s.wav, 600 s');
    expect((await service.operator.account(account.id)).balance).toBe(1000 - price);
    // The copies are gone; the job is the account's, as REST sees it.
    const list = await fetch(`${service.base}/api/v1/files?kind=original`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(((await list.json()) as { data: object[] }).data).toHaveLength(1);
    const rest = await fetch(`${service.base}/api/v1/jobs/${done.id}`, { headers: { authorization: `Bearer ${key}` } });
    expect(((await rest.json()) as { status: string }).status).toBe('succeeded');
    const other = await ask([['noise_reduction', '50']], '600s.wav', { 'idempotency-key': 'one' });
    expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_key_reused']);
  });

  it('is refused when it is wrong, whatever the address has left', async () => {
    for (const authorization of ['Bearer svc_sk_wrong', 'Basic x', 'Bearer']) {
      const { status, json, headers } = await tryTool(service, 'loudness', file(), {
        from: somewhere(),
        headers: { authorization },
      });
      expect([status, json.error.code, headers.get('www-authenticate')]).toEqual([
        401,
        'unauthorized',
        'Bearer error="invalid_token"',
      ]);
    }
  });

  it('never pays for media info, and counts it', async () => {
    const { account, key } = await service.account(1000);
    const answer = await tryTool(service, 'media-info', [['free', 'false'], ...file('600s-json.wav')], {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([answer.status, left(answer)]).toEqual([200, 19]);
    expect((await service.operator.account(account.id)).balance).toBe(1000);
  });
});
