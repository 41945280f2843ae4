// clients/ai-sdk: `transcribe` of the AI SDK over the whole service.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { APICallError, NoSuchModelError, transcribe } from 'ai';
import { beforeAll, expect, it } from 'vitest';
import {
  createEarshot,
  type EarshotProviderOptions,
  type EarshotTranscriptionOptions,
} from '../../clients/ai-sdk/src/index.ts';
import { createClient } from '../../src/client.ts';
import { recording } from '../fixtures/recordings.ts';
import { slow } from '../fixtures/rounds.ts';
import { useServices, type TestService } from '../fixtures/service/service.ts';
import { createSpeaking } from '../service/http/openai/said.ts';
import { named } from '../service/http/try/fake-media.ts';

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string): string => readFileSync(root(path), 'utf8');

const services = useServices();
let service: TestService;
let options: EarshotProviderOptions;

beforeAll(async () => {
  service = await services.start({ media: createSpeaking() });
  options = { baseUrl: service.base, apiKey: (await service.account(1000)).key };
});

const sound = async (): Promise<Uint8Array> => new Uint8Array(await named('90s.mp3', 1000).arrayBuffer());

async function files(): Promise<number> {
  let count = 0;
  for await (const _ of createClient(options).files()) count++;
  return count;
}

const said = async (earshot: EarshotTranscriptionOptions = {}, given: EarshotProviderOptions = options) =>
  transcribe({
    model: createEarshot(given).transcription(),
    audio: await sound(),
    providerOptions: { earshot: { ...earshot } },
    maxRetries: 0,
  });

it('gives text, language, length, sentences and words with their times, and leaves no files', async () => {
  const { text, language, durationInSeconds, segments, warnings, responses, providerMetadata, words } = await said();
  expect({ text, language, durationInSeconds, warnings }).toEqual({
    text: 'Guten Tag zusammen. Wir beginnen jetzt.',
    language: 'de',
    durationInSeconds: 8.4,
    warnings: [],
  });
  expect(segments).toEqual([
    { text: 'Guten Tag zusammen.', startSecond: 0.2, endSecond: 2.7 },
    { text: 'Wir beginnen jetzt.', startSecond: 4, endSecond: 6.5 },
  ]);
  expect(words?.map((word) => word.text).join(' ')).toBe(text);
  expect(responses[0]?.modelId).toBe('earshot-transcribe');
  expect(providerMetadata['earshot']).toMatchObject({ speakers: [1, 2] });
  expect(await files()).toBe(0);
});

it('passes the inputs of the tool on, and keeps files where it is told to', async () => {
  const { providerMetadata } = await said({ speaker_labels: false }, { ...options, keepFiles: true });
  expect(providerMetadata['earshot']).toMatchObject({ speakers: [null, null] });
  const client = createClient(options);
  expect(await files()).toBeGreaterThan(1);
  for await (const { id } of client.files()) await client.deleteFile(id);
});

it('tells what the service refuses, with its status and what to do', async () => {
  const refused = async (...given: Parameters<typeof said>) =>
    said(...given).catch((thrown: unknown) => (APICallError.isInstance(thrown) ? thrown : expect.fail(String(thrown))));
  expect(await refused({}, { ...options, apiKey: 'svc_sk_wrong' })).toMatchObject({
    statusCode: 401,
    isRetryable: false,
  });
  const unknown = await refused({ language: 'english' });
  expect(unknown).toMatchObject({ statusCode: 400, data: { code: 'bad_request' } });
  expect((unknown as Error).message).toContain('language');
  const away = { ...options, baseUrl: 'http://127.0.0.1:1', attempts: 1 };
  expect(await refused({}, away)).toMatchObject({ isRetryable: true });
  expect(await files()).toBe(0);
});

it('says in a sentence that what came is no transcript', async () => {
  for (const wrong of ['<html>', '[]', '{"sentences": 5}', 'null', '']) {
    const answering: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      return /\.json/.test(answer.headers.get('content-disposition') ?? '')
        ? new Response(wrong, { headers: answer.headers })
        : answer;
    };
    const { message } = (await said({}, { ...options, fetch: answering }).catch((thrown: unknown) => thrown)) as Error;
    expect(message, wrong).toMatch(/Expected a transcript as JSON from job_/);
  }
  expect(await files()).toBe(0);
});

it('ends when its signal says so, and cancels the job', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  const model = createEarshot(options).transcription();
  await expect(transcribe({ model, audio: await sound(), abortSignal: signal, maxRetries: 0 })).rejects.toThrow();
  expect(await files()).toBe(0);
});

it('has one model, and is of the version of the service', () => {
  expect(() => createEarshot(options).transcription('whisper-1')).toThrow(NoSuchModelError);
  expect(() => createEarshot(options).languageModel('earshot-transcribe')).toThrow(NoSuchModelError);
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  expect(JSON.parse(read('clients/ai-sdk/package.json'))).toMatchObject({ version });
  expect(read('clients/ai-sdk/LICENSE')).toBe(read('LICENSE'));
});

it('what scripts/build-clients.mjs makes is one module with the client in it, and its types', slow, async () => {
  execFileSync(process.execPath, [root('scripts/build-clients.mjs'), 'ai-sdk']);
  const built = (await import(
    root('clients/ai-sdk/dist/index.js')
  )) as typeof import('../../clients/ai-sdk/src/index.ts');
  const model = built.createEarshot(options).transcription();
  expect((await transcribe({ model, audio: await sound() })).language).toBe('de');
  expect(read('clients/ai-sdk/dist/index.js').match(/^import .*/gm)).toEqual([
    'import { APICallError, NoSuchModelError } from "@ai-sdk/provider";',
  ]);
  expect(read('clients/ai-sdk/dist/index.d.ts')).toMatch(
    /EarshotTranscriptionOptions = Omit<InputsByTool\[['"]transcribe_audio['"]\]/,
  );
});

it('transcribes a recording by the real recogniser', slow, async () => {
  const real = await services.start();
  const { key } = await real.account(1000);
  const { text, language, words } = await transcribe({
    model: createEarshot({ baseUrl: real.base, apiKey: key }).transcription(),
    audio: readFileSync(recording('jfk.wav')),
  });
  expect(text).toMatch(/ask not what your country can do for you/i);
  expect(language).toBe('en');
  expect(words?.length).toBeGreaterThan(20);
});
