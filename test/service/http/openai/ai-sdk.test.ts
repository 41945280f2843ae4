// A program that many others are made with speaks to our endpoints by its base URL: Vercel's AI SDK.
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, transcribe } from 'ai';
import { beforeAll, expect, it } from 'vitest';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { named } from '../try/fake-media.ts';
import { connected, person } from '../oauth/support.ts';
import { createSpeaking } from './said.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let service: TestService;
let key: string;

beforeAll(async () => {
  service = await services.start({ media: createSpeaking(), config: { trustProxy: 'true' } });
  ({ key } = await service.account(1000));
});

async function said(model: string, apiKey = key, openai: Record<string, string | string[]> = {}) {
  const provider = createOpenAI({ baseURL: `${service.base}/v1`, apiKey });
  return transcribe({
    model: provider.transcription(model),
    audio: new Uint8Array(await named('90s.mp3', 1000).arrayBuffer()),
    providerOptions: { openai },
    maxRetries: 0,
  });
}

const whole = 'Guten Tag zusammen. Wir beginnen jetzt.';

it('gets text, language, length and sentences with their times', async () => {
  const { text, language, durationInSeconds, segments, warnings } = await said('whisper-1');
  expect({ text, language, warnings }).toEqual({ text: whole, language: 'de', warnings: [] });
  expect(durationInSeconds).toBeGreaterThan(8);
  expect(segments.map(({ text: sentence }) => sentence)).toEqual(['Guten Tag zusammen.', 'Wir beginnen jetzt.']);
  expect(segments[0]?.endSecond).toBeGreaterThan(segments[0]?.startSecond ?? Infinity);
});

it('gets words with their times where it asks for them', async () => {
  const { segments } = await said('whisper-1', key, { language: 'de', timestampGranularities: ['word'] });
  expect(segments.map(({ text }) => text)).toEqual(whole.split(' '));
});

it.each(['gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'earshot-transcribe'])('gets text from %s', async (model) => {
  expect((await said(model)).text).toBe(whole);
});

it('is told of a wrong key and of an unknown model', async () => {
  const refused = async (...given: Parameters<typeof said>): Promise<unknown> =>
    said(...given).catch((thrown: unknown) => (APICallError.isInstance(thrown) ? thrown.statusCode : thrown));
  expect(await refused('whisper-1', 'svc_sk_wrong')).toBe(401);
  expect(await refused('whisper-9')).toBe(404);
});

it('also shows an access token that a person let it have', slow, async () => {
  const { ann } = await person(service);
  const { tokens } = await connected(service, ann);
  expect((await said('whisper-1', tokens.access_token)).text).toBe(whole);
});
