// What the free API answers, and when: results, manifests, links, refusals, and clients that hang up.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia, named } from './fake-media.ts';
import { ended, type Fields, poll, tryTool } from './support.ts';
import { eventually } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const media = createFakeMedia();
let service: TestService;
let address = 0;
/** Another visitor for every test. */
const somebody = (): { from: string } => ({ from: `203.0.113.${(address += 1)}` });

beforeAll(async () => {
  service = await services.start({
    media,
    links: createLinkFetcher(),
    config: { trustProxy: 'true', freeWaitSeconds: '3', jobSlots: '4' },
  });
});
afterEach(() => {
  media.runMs = 0;
  media.beforeCheck = Promise.resolve();
});

const file = (name: string): Fields => [['file', named(name)]];

describe('a result', () => {
  it('comes whole, with what it cost of the day and what the rest would cost', async () => {
    const { status, headers, bytes } = await tryTool(service, 'remove-noise', file('600s.wav'), somebody());
    expect([status, bytes.toString()]).toEqual([200, 'RIFF of 600s.wav, 60 s']);
    expect(Object.fromEntries([...headers].filter(([name]) => /^svc-(?!finish-url)|^rate/.test(name)))).toEqual({
      'svc-processed-seconds': '60',
      'svc-full-price-credits': expect.stringMatching(/^\d+$/),
      'svc-finish-price-credits': '500',
      'ratelimit-policy': '"remove_noise-daily";q=3;w=86400',
      ratelimit: expect.stringMatching(/^"remove_noise-daily";r=2;t=\d+$/),
    });
    expect(headers.get('svc-finish-url')).toMatch(new RegExp(`^${service.base}/finish/[\\w.-]+$`));
  });

  it('of JSON that was cut short says how to get the rest', async () => {
    const { status, json, headers } = await tryTool(service, 'loudness', file('600s-json.wav'), somebody());
    expect(status).toBe(200);
    expect(json).toEqual({
      lufs: -16,
      finishUrl: headers.get('svc-finish-url'),
      finishPriceCredits: 500,
      nextStep: expect.stringContaining('$5.00'),
    });
    const whole = await tryTool(service, 'loudness', file('20s-json.wav'), somebody());
    expect(whole.json).toEqual({ lufs: -16 });
  });

  it('that was cut short says so where nothing can be paid', async () => {
    const unpaid = await services.start({ media, config: { trustProxy: 'true', payments: 'none' } });
    const said = { nextStep: expect.stringMatching(/^Only the first part .* takes no payments/) };
    const { json } = await tryTool(unpaid, 'loudness', file('600s-json.wav'), somebody());
    expect(json).toEqual({ lufs: -16, ...said });
    const later = { ...somebody(), headers: { prefer: 'respond-async' } };
    const { json: begun } = await tryTool(unpaid, 'loudness', file('600s.wav'), later);
    const run = await ended(begun.statusUrl);
    expect(run).toMatchObject(said);
    expect(run).not.toHaveProperty('finishUrl');
    const page = await fetch(run.statusUrl.replace('/api/try/jobs/', '/runs/'), { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('Free: the first 3 minutes');
    const short = await tryTool(unpaid, 'loudness', file('20s-json.wav'), somebody());
    expect(short.json).toEqual({ lufs: -16 });
  });

  it('of several files is a manifest with a link to each', async () => {
    const { status, json } = await tryTool(service, 'loudness', file('20s-several.wav'), somebody());
    expect([status, json.status, json.outputs.length]).toEqual([200, 'succeeded', 2]);
    for (const { url, filename } of json.outputs) {
      const bytes = await fetch(url);
      expect([bytes.status, await bytes.text(), filename]).toEqual([200, 'RIFF of 20s-several.wav, 20 s', filename]);
    }
  });

  it(
    'of a transcript is the format that was asked for, JSON by default, and says how to get the rest',
    slow,
    async () => {
      const visitor = somebody();
      const ask = (fields: Fields) => tryTool(service, 'transcribe', [...fields, ...file('600s.wav')], visitor);
      const usual = await ask([]);
      expect(usual.json).toMatchObject({
        sentences: [],
        finishPriceCredits: 500,
        nextStep: expect.stringContaining('($5.00, of which $4.'),
      });
      for (const format of ['vtt', 'txt']) {
        const { status, bytes, headers } = await ask([['format', format]]);
        expect([status, bytes.toString()]).toEqual([200, `words as ${format}`]);
        expect(headers.get('content-disposition')).toContain(`words.${format}`);
        expect(headers.get('content-type')).toBe(`text/${format === 'txt' ? 'plain' : 'vtt'}; charset=utf-8`);
        // The other formats are links beside it.
        expect(headers.get('link')?.match(/rel="related"/g)).toHaveLength(3);
        expect(headers.get('svc-finish-url')).toMatch(/\/finish\//);
      }
    },
  );

  it('of a dry run is the list of cuts, and its transcript is a link beside it', async () => {
    const { json, headers } = await tryTool(
      service,
      'remove-fillers',
      [['dry_run', 'true'], ...file('20s.wav')],
      somebody(),
    );
    expect(json).toEqual({ name: 'words.cuts.json' });
    expect(headers.get('link')).toMatch(/words\.json>; rel="related"/);
  });

  it('takes fields before and after the file, and numbers as text', async () => {
    const fields: Fields = [
      ['output_format', 'flac'],
      ...file('20s.wav'),
      ['auto_volume', 'false'],
      ['noise_reduction', '80'],
    ];
    expect((await tryTool(service, 'remove-noise', fields, somebody())).status).toBe(200);
    expect(media.runs.at(-1)?.options).toMatchObject({
      output_format: 'flac',
      auto_volume: false,
      noise_reduction: 80,
    });
  });
});

describe('a job that takes longer', () => {
  it('is answered with a link, under which its end is to be seen', slow, async () => {
    media.runMs = 4000;
    const { status, json, headers } = await tryTool(service, 'loudness', file('20s.wav'), somebody());
    expect([status, json.status, headers.get('location')]).toEqual([202, 'running', json.statusUrl]);
    expect(json.statusUrl).toMatch(new RegExp(`^${service.base}/api/try/jobs/${json.id}\\?t=[\\w.-]+$`));
    expect(headers.get('ratelimit')).toMatch(/r=2;/);
    const end = await ended(json.statusUrl);
    expect(end).toMatchObject({ id: json.id, status: 'succeeded', processedSeconds: 20, free: true, finishedBy: null });
    expect(await (await fetch(end.outputs[0].url)).text()).toBe('RIFF of 20s.wav, 20 s');
  });

  it('is answered as soon as the file is checked, to who prefers that', slow, async () => {
    media.runMs = 3000;
    const { status, json, headers } = await tryTool(service, 'loudness', file('20s.wav'), {
      ...somebody(),
      headers: { prefer: 'wait=100, respond-async' },
    });
    expect([status, headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    expect(['queued', 'running']).toContain(json.status);
    expect((await ended(json.statusUrl)).status).toBe('succeeded');
    // What is wrong with the file is said at once, too.
    const bad = await tryTool(service, 'loudness', file('bad.wav'), {
      ...somebody(),
      headers: { prefer: 'respond-async' },
    });
    expect([bad.status, bad.json.error.code]).toEqual([422, 'file_invalid']);
  });

  it('has its link even before its file is checked', slow, async () => {
    let go = (): void => {};
    media.beforeCheck = new Promise((resolve) => (go = resolve));
    const { status, json } = await tryTool(service, 'loudness', file('20s.wav'), somebody());
    expect([status, json.status, json.stage]).toEqual([202, 'queued', 'arriving']);
    go();
    expect((await ended(json.statusUrl)).status).toBe('succeeded');
  });

  it('goes on when its client hangs up, while it is checked and while it runs', async () => {
    const { kysely } = service.stores.database;
    for (const stage of ['check', 'run']) {
      const visitor = somebody();
      const gone = new AbortController();
      const count = media.runs.length;
      let goOn = (): void => undefined;
      media.runMs = stage === 'run' ? 400 : 0;
      if (stage === 'check') media.beforeCheck = new Promise((resolve) => (goOn = resolve));
      const asked = tryTool(service, 'loudness', file(`20s-${stage}.wav`), { ...visitor, signal: gone.signal });
      const hungUp = expect(asked).rejects.toThrow();
      await eventually(() =>
        stage === 'check'
          ? expect(media.checks).toContain('20s-check.wav')
          : expect(media.runs).toHaveLength(count + 1),
      );
      gone.abort();
      await hungUp;
      goOn();
      const last = kysely.selectFrom('jobs').select('status').orderBy('createdAt', 'desc').limit(1).compile();
      await eventually(() => expect(media.runs).toHaveLength(count + 1));
      await eventually(async () => expect((await kysely.executeQuery(last)).rows).toEqual([{ status: 'succeeded' }]));
      expect(media.runs).toHaveLength(count + 1);
    }
  });

  it('leaves nothing behind when its client hangs up while it sends', async () => {
    const gone = new AbortController();
    const slow = new ReadableStream({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(1000)));
        await sleep(20);
      },
      start(controller) {
        controller.enqueue(
          new TextEncoder().encode(
            '--b\r\ncontent-disposition: form-data; name="file"; filename="20s.wav"\r\ncontent-type: audio/wav\r\n\r\n',
          ),
        );
      },
    });
    const before = await service.stores.files.totals();
    const sent = fetch(`${service.base}/api/try/loudness`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'x-forwarded-for': somebody().from },
      body: slow,
      duplex: 'half',
      signal: gone.signal,
    });
    setTimeout(() => gone.abort(), 300);
    await expect(sent).rejects.toThrow();
    await eventually(async () => expect(await service.stores.files.totals()).toEqual(before));
  });
});

describe('a refusal', () => {
  it.each<[string, string, Fields | object, number, string, RegExp]>([
    ['no file', 'loudness', [['target', 'podcast']], 400, 'bad_request', /one file for file or url/],
    [
      'two files',
      'loudness',
      [...file('a.wav'), ...file('b.wav')],
      400,
      'bad_request',
      /one file .*more than 1(?! of type)/,
    ],
    ['one file to join', 'join', file('a.wav'), 400, 'bad_request', /2 to 20 files/],
    ['a file as text', 'loudness', [['file', 'talk.wav']], 400, 'bad_request', /Expected file for file/],
    ['a link that is not https', 'loudness', { url: 'http://127.0.0.1/x.wav' }, 400, 'bad_request', /https/],
    ['a JSON body without a link', 'loudness', {}, 400, 'bad_request', /file or url/],
    [
      'an id',
      'loudness',
      [['file_id', 'file_1'], ...file('a.wav')],
      400,
      'bad_request',
      /no file_id.*with the request/,
    ],
    [
      'an idempotency key as a field',
      'loudness',
      [['idempotency_key', 'x']],
      400,
      'bad_request',
      /header Idempotency-Key/,
    ],
    ['free without a key', 'loudness', [['free', 'true'], ...file('a.wav')], 400, 'bad_request', /API key/],
    ['max_credits without a key', 'loudness', [['max_credits', '5'], ...file('a.wav')], 400, 'bad_request', /API key/],
    [
      'an unknown option',
      'loudness',
      [['targt', 'podcast'], ...file('a.wav')],
      400,
      'bad_request',
      /did you mean target/,
    ],
    ['a value that is none', 'loudness', [['target', 'loud'], ...file('a.wav')], 400, 'bad_request', /podcast/],
    [
      'an option twice',
      'loudness',
      [
        ['target', 'podcast'],
        ['target', 'podcast'],
      ],
      400,
      'bad_request',
      /one value/,
    ],
    [
      'options that do not go together',
      'loudness',
      [['custom_lufs', '-20'], ...file('a.wav')],
      400,
      'bad_request',
      /custom/,
    ],
    ['ranges that are no JSON', 'cut', [['ranges', '[[1'], ...file('a.wav')], 400, 'bad_request', /ranges/],
    ['ranges past the end', 'cut', [['ranges', '[[100,200]]'], ...file('20s.wav')], 422, 'ranges_outside', /20/],
    ['a file that is none', 'loudness', file('bad.wav'), 422, 'file_invalid', /bad\.wav/],
    ['a text for a recording', 'loudness', file('20s.txt'), 422, 'wrong_file_type', /audio or video/],
    ['a file without sound', 'loudness', file('20s-silent.wav'), 422, 'no_audio', /sound/],
    ['an empty file', 'loudness', [['file', named('20s.wav', 0)]], 422, 'file_invalid', /empty/],
    ['a run that fails', 'loudness', file('20s-fail.wav'), 422, 'no_audio', /20s-fail/],
    [
      'a format that is none',
      'transcribe',
      [['format', 'doc'], ...file('a.wav')],
      400,
      'bad_request',
      /json, srt, vtt, txt/,
    ],
    [
      'a format that the tool does not make',
      'align-script',
      [['text', 'x'], ['format', 'txt'], ...file('a.wav')],
      400,
      'bad_request',
      /json, srt, vtt/,
    ],
    [
      'a script twice',
      'align-script',
      [['text', 'x'], ['script', named('s.txt')], ...file('a.wav')],
      400,
      'bad_request',
      /exactly one of text, script /,
    ],
    [
      'a format for a tool without one',
      'loudness',
      [['format', 'srt'], ...file('a.wav')],
      400,
      'bad_request',
      /Unknown field/,
    ],
  ])('of %s says what was expected', async (_what, slug, given, status, code, message) => {
    const answer = await tryTool(service, slug, given, somebody());
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(answer.json.error.message).toMatch(message);
    // Whatever went wrong, no use is lost.
    expect(answer.headers.get('ratelimit')).toMatch(/r=3;/);
  });

  it('of our own name the job, and keep their reason to themselves', async () => {
    const { status, json } = await tryTool(service, 'loudness', file('20s-broken.wav'), somebody());
    expect([status, json.error.code]).toEqual([500, 'internal_error']);
    expect(json.error.details).toEqual({
      requestId: expect.any(String),
      jobId: expect.stringMatching(/^job_\w+$/),
    });
    expect(JSON.stringify(json)).not.toContain('for the log');
    expect((await service.stores.jobs.get(json.error.details.jobId as string))?.status).toBe('failed');
  });

  it('of too many bytes comes while they arrive, also over several files', slow, async () => {
    const small = await services.start({ media, config: { freeRequestBytes: '100000' } });
    for (const fields of [
      [['file', named('20s.wav', 100_001)]],
      [
        ['file', named('20s.wav', 60_000)],
        ['file', named('20s.wav', 60_000)],
      ],
    ] as Fields[]) {
      const { status, json } = await tryTool(small, 'join', fields);
      expect([status, json.error.code, json.error.details.maxBytes]).toEqual([413, 'file_too_large', 100_000]);
    }
    expect((await small.stores.files.totals()).files).toBe(0);
    const keyed = await tryTool(small, 'loudness', [['file', named('20s.wav', 100_001)]], {
      headers: { authorization: `Bearer ${(await small.account()).key}` },
    });
    expect(keyed.json.error.nextAction).toMatch(/REST API/);
  });

  it('of a form that is broken, a body that is no object, and an unknown tool', async () => {
    const post = async (path: string, type: string, body: string) => {
      const response = await fetch(service.base + path, { method: 'POST', headers: { 'content-type': type }, body });
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
    };
    expect(await post('/api/try/loudness', 'multipart/form-data; boundary=b', '--b\r\nnonsense')).toEqual([
      400,
      'bad_request',
    ]);
    expect(await post('/api/try/loudness', 'multipart/form-data', 'x')).toEqual([400, 'bad_request']);
    expect(await post('/api/try/loudness', 'application/json', '[]')).toEqual([400, 'bad_request']);
    expect(await post('/api/try/loudnes', 'application/json', '{}')).toEqual([404, 'not_found']);
  });

  it('of a link that is not what it was', async () => {
    const { json } = await tryTool(service, 'loudness', file('20s.wav'), {
      ...somebody(),
      headers: { prefer: 'respond-async' },
    });
    const { statusUrl, id } = json as { statusUrl: string; id: string };
    const other = await tryTool(service, 'loudness', file('20s.wav'), {
      ...somebody(),
      headers: { prefer: 'respond-async' },
    });
    for (const [url, status] of [
      [statusUrl, 200],
      [statusUrl.replace(/t=.*/, ''), 400],
      [`${statusUrl.slice(0, -2)}xx`, 404],
      [statusUrl.replace(id, other.json.id as string), 404],
    ] as const)
      expect([url, (await poll(url)).status]).toEqual([url, status]);
  });
});
