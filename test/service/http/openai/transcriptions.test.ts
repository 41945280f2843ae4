// OpenAI's endpoints as its official client and curl use them, against the whole service.
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { APIError } from 'openai';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { eventually } from '../../../fixtures/until.ts';
import { named } from '../try/fake-media.ts';
import { createSpeaking } from './said.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const media = createSpeaking();
let service: TestService;
let key: string;
let accountId: string;
let openai: OpenAI;

const clientOf = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: `${service.base}/v1`, maxRetries: 0 });

beforeAll(async () => {
  service = await services.start({ media, config: { jobSlots: '4' } });
  const made = await service.account(1000);
  ({ key } = made);
  accountId = made.account.id;
  openai = clientOf(key);
});
afterEach(() => {
  media.runMs = 0;
});

const model = 'whisper-1';
const file = (name = '90s.mp3', bytes = 1000): File => named(name, bytes);
const balance = async (): Promise<number> => (await service.operator.account(accountId)).balance;
/** What a list of the REST API holds. */
const list = async <Item>(path: string): Promise<Item[]> => {
  const answer = await fetch(`${service.base}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: Item[] }).data;
};
const whole = 'Guten Tag zusammen. Wir beginnen jetzt.';

describe('the official client gets', () => {
  it('text with its usage as json, the usual format, and pays for it like transcribe_audio', async () => {
    const before = await balance();
    const answer = await openai.audio.transcriptions.create({ file: file(), model });
    expect(answer).toEqual({ text: whole, usage: { type: 'duration', seconds: 9 } });
    // 90 s at one credit a minute.
    expect(before - (await balance())).toBe(2);
    expect(media.runs.at(-1)?.options).toMatchObject({ verbatim: true, speaker_labels: false });
  });

  it('plain text, subtitles as srt and vtt', slow, async () => {
    const ask = (response_format: 'text' | 'srt' | 'vtt') =>
      openai.audio.transcriptions.create({ file: file(), model, response_format });
    expect([await ask('text'), await ask('srt'), await ask('vtt')]).toEqual([
      `${whole}\n`,
      'words as srt',
      'words as vtt',
    ]);
  });

  it('segments, and words where asked for, as verbose_json', slow, async () => {
    const ask = (timestamp_granularities?: ('word' | 'segment')[]) =>
      openai.audio.transcriptions.create({
        file: file(),
        model,
        response_format: 'verbose_json',
        ...(timestamp_granularities ? { timestamp_granularities } : {}),
      });
    const { segments, words, language, duration } = await ask();
    expect([language, duration, words]).toEqual(['german', 8.4, undefined]);
    // Words of a confidence of a half.
    const half = Math.round(Math.log(0.5) * 1e4) / 1e4;
    expect(segments?.map(({ id, start, end, text, avg_logprob }) => [id, start, end, text, avg_logprob])).toEqual([
      [0, 0.2, 2.7, 'Guten Tag zusammen.', half],
      [1, 4, 6.5, 'Wir beginnen jetzt.', half],
    ]);
    const both = await ask(['word', 'segment']);
    expect(both.segments).toHaveLength(2);
    expect(both.words?.[1]).toEqual({ word: 'Tag', start: 1.2, end: 1.7 });
    expect((await ask(['word'])).segments).toBeUndefined();
  });

  it('who speaks as diarized_json', async () => {
    const answer = (await openai.audio.transcriptions.create({
      file: file(),
      model: 'gpt-4o-transcribe-diarize',
      response_format: 'diarized_json',
      chunking_strategy: 'auto',
    })) as OpenAI.Audio.TranscriptionDiarized;
    expect(answer.segments.map(({ speaker, text }) => [speaker, text])).toEqual([
      ['A', 'Guten Tag zusammen.'],
      ['B', 'Wir beginnen jetzt.'],
    ]);
  });

  it('events of text, sentence by sentence', async () => {
    const stream = await openai.audio.transcriptions.create({ file: file(), model, stream: true });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.map((event) => ('delta' in event ? event.delta : event.type))).toEqual([
      'Guten Tag zusammen.',
      ' Wir beginnen jetzt.',
      'transcript.text.done',
    ]);
    expect(events.at(-1)).toMatchObject({ text: whole });
  });

  it.each(['json', 'diarized_json'] as const)(
    'the first event of %s while the recording is still read',
    async (format) => {
      const held = Promise.withResolvers<void>();
      media.beforeRunEnds = () => held.promise;
      onTestFinished(() => {
        media.beforeRunEnds = () => Promise.resolve();
      });
      const stream = await openai.audio.transcriptions.create({
        file: file(),
        model,
        response_format: format,
        stream: true,
      });
      const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
      for await (const event of stream) {
        events.push(event);
        // The run ends once its first sentence has arrived, and not before.
        held.resolve();
      }
      const first =
        format === 'json' ? { delta: 'Guten Tag zusammen.' } : { text: 'Guten Tag zusammen.', speaker: 'A' };
      expect(events).toMatchObject([first, expect.anything(), { type: 'transcript.text.done', text: whole }]);
    },
  );

  it('a header in place of log probabilities, which there are not', async () => {
    for (const stream of [false, true]) {
      const asked = openai.audio.transcriptions.create({ file: file(), model, include: ['logprobs'], stream });
      const { response } = await asked.withResponse();
      expect([response.status, response.headers.get('x-earshot-ignored')]).toEqual([200, 'include']);
    }
  });

  it('English of another language from translations', async () => {
    const answer = await openai.audio.translations.create({ file: file(), model, response_format: 'verbose_json' });
    expect(answer).toMatchObject({ task: 'translate', language: 'english', text: whole });
    expect(media.runs.at(-1)?.options).toMatchObject({ translate: true });
  });

  it('names of the prompt heard', async () => {
    await openai.audio.transcriptions.create({
      file: file(),
      model,
      prompt: 'Zyntriqix, Digique Plus',
      language: 'de',
    });
    expect(media.runs.at(-1)?.options).toMatchObject({ language: 'de', vocabulary: ['Zyntriqix', 'Digique Plus'] });
  });

  it('the names of the models', async () => {
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toContain('earshot-transcribe');
    expect(await openai.models.retrieve('whisper-1')).toMatchObject({ id: 'whisper-1', object: 'model' });
  });
});

describe('what is refused', () => {
  const failing = async (call: Promise<unknown>): Promise<APIError> => {
    const error = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error instanceof APIError) return error;
    throw new TypeError('Expected an error of the API', { cause: error });
  };

  it('has the status, type, code and field that programs look at', slow, async () => {
    const poor = await service.account(0);
    const create = (given: object, client = openai) =>
      failing(client.audio.transcriptions.create({ file: file(), model, ...given } as never));
    const errors: APIError[] = [];
    for (const asking of [
      () => create({}, clientOf('svc_sk_wrong')),
      () => create({}, clientOf('sk-proj-of-another')),
      () => create({ include: ['tokens'] }),
      () => create({ model: 'gpt-9' }),
      () => create({ model: undefined }),
      () => create({}, clientOf(poor.key)),
      () => create({ language: 'German' }),
      () => create({ response_format: 'docx' }),
      () => create({ timestamp_granularities: ['word'] }),
      () => create({ file: file('bad.mp3') }),
      () => create({ file: file('20s-fail.wav') }),
      () => failing(openai.models.retrieve('gpt-9')),
    ])
      errors.push(await asking());
    expect(errors.map(({ status, type, code, param }) => [status, type, code, param])).toEqual([
      [401, 'invalid_request_error', 'invalid_api_key', null],
      [401, 'invalid_request_error', 'invalid_api_key', null],
      [400, 'invalid_request_error', 'bad_request', 'include'],
      [404, 'invalid_request_error', 'model_not_found', 'model'],
      [400, 'invalid_request_error', 'bad_request', 'model'],
      [402, 'insufficient_quota', 'insufficient_quota', null],
      [400, 'invalid_request_error', 'bad_request', 'language'],
      [400, 'invalid_request_error', 'bad_request', 'response_format'],
      [400, 'invalid_request_error', 'bad_request', 'timestamp_granularities'],
      [400, 'invalid_request_error', 'file_invalid', null],
      [400, 'invalid_request_error', 'no_audio', null],
      [404, 'invalid_request_error', 'model_not_found', 'model'],
    ]);
    expect(errors[1]?.message).toContain('This API key does not exist; those of this service begin with svc_sk_');
    expect(errors[3]?.message).toMatch(/gpt-9 does not exist.*earshot-transcribe/);
  });

  it('is no request for the official client to repeat, and costs nothing', async () => {
    const before = await balance();
    const repeating = new OpenAI({ apiKey: key, baseURL: `${service.base}/v1`, maxRetries: 3 });
    const runs = media.runs.length;
    await failing(repeating.audio.transcriptions.create({ file: file('20s-fail.wav'), model }));
    expect([media.runs.length - runs, before - (await balance())]).toEqual([1, 0]);
  });

  it('is told in a stream, too', async () => {
    const stream = await openai.audio.transcriptions.create({ file: file('20s-fail.wav'), model, stream: true });
    const error = await failing(
      (async () => {
        for await (const event of stream) expect(event).toMatchObject({ delta: 'Guten Tag zusammen.' });
      })(),
    );
    expect(error.code).toBe('no_audio');
  });

  it('without a form says what was expected', async () => {
    const answer = await fetch(`${service.base}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: expect.objectContaining({ message: expect.stringContaining('a form (multipart/form-data) with file') }),
      },
    ]);
  });
});

it('keeps file and transcript for an hour', async () => {
  await openai.audio.transcriptions.create({ file: file('30s.mp3'), model });
  const data = await list<{ createdAt: string; expiresAt: string }>('files?limit=5');
  // The file, and its transcript in four formats.
  expect(data.map(({ createdAt, expiresAt }) => (Date.parse(expiresAt) - Date.parse(createdAt)) / 1000)).toEqual([
    3600, 3600, 3600, 3600, 3600,
  ]);
});

it('cancels the job of a client that hangs up, so that its repetition is paid once', async () => {
  media.runMs = 600_000;
  const before = await balance();
  const gone = new AbortController();
  const asked = openai.audio.transcriptions.create({ file: file('60s-gone.mp3'), model }, { signal: gone.signal });
  asked.catch(() => undefined);
  await eventually(() => {
    expect(media.runs.at(-1)?.inputs['file_id']?.[0]?.name).toBe('60s-gone.mp3');
  });
  gone.abort();
  await expect(asked).rejects.toThrow();
  await eventually(async () => {
    expect((await list<{ status: string }>('jobs?limit=1'))[0]?.status).toBe('cancelled');
  });
  expect(before - (await balance())).toBe(0);
});

it('takes a file of 20 MB as it comes from a disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-test-openai-'));
  try {
    const path = join(folder, '20s-large.wav');
    writeFileSync(path, Buffer.alloc(20 * 2 ** 20));
    const answer = await openai.audio.transcriptions.create({ file: createReadStream(path), model });
    expect(answer.text).toBe(whole);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
