// Speakers named by recordings of them that come with the request: with OpenAI's client, against the whole service.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI, { APIError } from 'openai';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { wavBytes } from '../../../fixtures/media/pcm-files.ts';
import { listProcesses } from '../../../fixtures/processes/listed.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { readVoice } from '../../../fixtures/sounds/conversations.ts';
import { eventually } from '../../../fixtures/until.ts';
import { named } from '../try/fake-media.ts';
import { createSpeaking } from './said.ts';

type Diarized = OpenAI.Audio.TranscriptionDiarized;

const services = useServices();
const media = createSpeaking();
let service: TestService;
let openai: OpenAI;

const clientOf = (at: TestService, apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${at.base}/v1`, maxRetries: 0, timeout: 480_000 });

beforeAll(async () => {
  service = await services.start({ media, config: { jobSlots: '4' } });
  openai = clientOf(service, (await service.account(1000)).key);
});
afterEach(() => {
  media.runMs = 0;
});

const dataUrl = (bytes: Uint8Array, type = 'audio/wav'): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const voice = dataUrl(Buffer.from('the voice of a person'));
const known = (...names: string[]) => ({
  known_speaker_names: names,
  known_speaker_references: names.map(() => voice),
});
const ask = async (more: object, client = openai, file = named('90s.mp3', 1000)) =>
  await client.audio.transcriptions.create({
    file,
    model: 'gpt-4o-transcribe-diarize',
    response_format: 'diarized_json',
    chunking_strategy: 'auto',
    ...more,
  });
const kept = async (at = service): Promise<unknown[]> =>
  (await at.stores.database.query('select run_id, place, name from voice_references', [])).rows;
const failing = async (call: Promise<unknown>): Promise<APIError> => {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof APIError) return error;
  throw new TypeError('Expected an error of the API', { cause: error });
};

describe('references', () => {
  it('reach the job with their names, and who is not among them keeps the first letter that is free', async () => {
    const answer = (await ask(known('A', 'Ben'))) as unknown as Diarized;
    expect(answer.segments.map(({ speaker }) => speaker)).toEqual(['B', 'A']);
    expect(media.runs.at(-1)?.voiceReferences).toEqual(
      ['A', 'Ben'].map((name) => ({ name, sound: Buffer.from('the voice of a person').toString('base64') })),
    );
    expect(media.runs.at(-1)?.options).not.toHaveProperty('voices');
    await ask({});
    expect(media.runs.at(-1)).not.toHaveProperty('voiceReferences');
  });

  it('name the segments of a stream, which has each of them once', async () => {
    const stream = await ask({ ...known('Anna'), stream: true });
    const told: (string | undefined)[] = [];
    for await (const event of stream as unknown as AsyncIterable<{ speaker?: string }>) told.push(event.speaker);
    expect(told).toEqual(['A', 'Anna', undefined]);
  });

  it('are kept while the job waits and runs, and no longer: done, failed, broken, refused, cancelled', async () => {
    const held = Promise.withResolvers<void>();
    media.beforeRunEnds = () => held.promise;
    const first = ask(known('Anna'));
    await eventually(async () => {
      expect(await kept()).toMatchObject([{ place: 0, name: 'Anna' }]);
    });
    held.resolve();
    await first;
    expect(await kept()).toEqual([]);
    for (const name of ['20s-fail.wav', '20s-broken.wav', 'bad.mp3']) {
      await failing(ask(known('Anna'), openai, named(name, 1000)));
      expect(await kept(), name).toEqual([]);
    }
    await failing(ask(known('Anna'), clientOf(service, (await service.account(0)).key)));
    expect(await kept()).toEqual([]);
    media.runMs = 600_000;
    const gone = new AbortController();
    const runs = media.runs.length;
    const asked = openai.audio.transcriptions.create(
      { file: named('60s.mp3', 1000), model: 'whisper-1', response_format: 'diarized_json', ...known('Anna') },
      { signal: gone.signal },
    );
    asked.catch(() => undefined);
    await eventually(() => {
      expect(media.runs.length).toBe(runs + 1);
    });
    expect(await kept()).toHaveLength(1);
    gone.abort();
    await eventually(async () => {
      expect(await kept()).toEqual([]);
    });
    expect(service.logged()).not.toMatch(/Anna|dGhlIHZvaWNl/);
  });

  it('are part of what an idempotency key names', async () => {
    const again = (...names: string[]) =>
      openai.audio.transcriptions.create(
        { file: named('90s.mp3', 1000), model: 'whisper-1', response_format: 'diarized_json', ...known(...names) },
        { headers: { 'Idempotency-Key': 'one' } },
      );
    const runs = media.runs.length;
    expect(await again('Anna')).toEqual(await again('Anna'));
    expect(media.runs.length - runs).toBe(1);
    expect((await failing(again('Ben'))).code).toBe('idempotency_key_reused');
    expect(await kept()).toEqual([]);
  });

  it('that cannot be taken are refused by their field, before any work', async () => {
    const runs = media.runs.length;
    const names = 'known_speaker_names';
    const references = 'known_speaker_references';
    for (const [given, field] of [
      [{ known_speaker_names: ['Anna'] }, references],
      [{ known_speaker_references: [voice] }, references],
      [{ ...known('Anna', 'Ben'), known_speaker_references: [voice] }, references],
      [known('a', 'b', 'c', 'd', 'e'), names],
      [{ ...known('a', 'b', 'c', 'd'), known_speaker_references: [voice, voice, voice, voice, voice] }, references],
      [known('Anna', 'anna'), names],
      [known('all'), names],
      [known('a,b'), names],
      [known('x'.repeat(81)), names],
      [{ ...known('Anna'), response_format: 'json' }, names],
      [{ ...known('Anna'), known_speaker_references: ['https://example.com/a.wav'] }, references],
      [{ ...known('Anna'), known_speaker_references: ['data:image/png;base64,AAAA'] }, references],
      [{ ...known('Anna'), known_speaker_references: ['data:audio/wav;base64,'] }, references],
      [{ ...known('Anna'), known_speaker_references: ['data:audio/wav,hello'] }, references],
      [{ ...known('Anna'), known_speaker_references: [dataUrl(Buffer.alloc(3.2 * 2 ** 20))] }, references],
    ] as const) {
      const { status, code, param, message } = await failing(ask(given));
      expect([status, code, param], JSON.stringify(given).slice(0, 200)).toEqual([400, 'bad_request', field]);
      expect(message).not.toMatch(/dGhl|Anna/);
    }
    expect(media.runs.length).toBe(runs);
    expect(await kept()).toEqual([]);
  });
});

/** So many seconds of a recording, as a file. */
const heard = (samples: Float32Array, from: number, to: number): Uint8Array =>
  wavBytes([samples.subarray(from * 16_000, to * 16_000)], 16_000);

describe('of real voices', slow, () => {
  const jack = readVoice(recording('jfk.wav'));
  const reader = readVoice(recording('austen-0870.wav'));
  const talk = new Float32Array([
    ...jack.subarray(5 * 16_000),
    ...new Float32Array(8000),
    ...reader.subarray(0, 8 * 16_000),
  ]);
  let real: TestService;
  let client: OpenAI;
  beforeAll(async () => {
    real = await services.start({ media: 'own' });
    client = clientOf(real, (await real.account(1000)).key);
  });
  const asking = (reference: Uint8Array) =>
    ask(
      { known_speaker_names: ['Jack'], known_speaker_references: [dataUrl(reference)], language: 'en' },
      client,
      new File([new Uint8Array(heard(talk, 0, talk.length / 16_000))], 'talk.wav'),
    );
  /** What is on the disk of references. */
  const files = (): string[] => {
    const folder = join(real.config.data, 'work');
    const all = existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : [];
    return all.filter((path) => path.includes('reference-'));
  };

  it('say what is wrong with one, and leave nothing', async () => {
    const wrong = async (reference: Uint8Array) => {
      const { status, code, message } = await failing(asking(reference));
      expect(message).toMatch(/^400 Reference 1 of a known speaker: /);
      return [status, code, message];
    };
    expect([
      await wrong(heard(jack, 0, 1.5)),
      await wrong(heard(jack, 0, 11)),
      await wrong(heard(new Float32Array(5 * 16_000), 0, 5)),
      await wrong(readFileSync(import.meta.filename)),
    ]).toEqual([
      [400, 'bad_request', expect.stringContaining('Expected 2 to 10 s of sound but received 1.5 s')],
      [400, 'bad_request', expect.stringContaining('Expected 2 to 10 s of sound but received 11.0 s')],
      [400, 'bad_request', expect.stringContaining('Expected at least 1 s of speech')],
      [400, expect.stringMatching(/^(?:file_invalid|unsupported_format)$/), expect.anything()],
    ]);
    expect([await kept(real), files()]).toEqual([[], []]);
  });

  it('name their speakers, though the process of the job is killed once, and leave nothing', async () => {
    const asked = asking(heard(jack, 0, 5));
    asked.catch(() => undefined);
    await eventually(() => {
      expect(files()).not.toEqual([]);
    });
    expect(await kept(real)).toHaveLength(1);
    const children = listProcesses().filter(
      ({ parent, command }) => parent === process.pid && command.includes('job-process'),
    );
    expect(children).not.toEqual([]);
    for (const { pid } of children) process.kill(pid, 'SIGKILL');
    const { segments } = (await asked) as unknown as Diarized;
    expect(new Set(segments.map(({ speaker }) => speaker))).toEqual(new Set(['Jack', 'A']));
    expect(segments[0]).toMatchObject({ speaker: 'Jack', text: expect.stringContaining('country') });
    expect(segments.at(-1)?.speaker).toBe('A');
    expect([await kept(real), files()]).toEqual([[], []]);
    const { rows } = await real.stores.database.query(
      `select attempt, options::text from jobs where status = 'succeeded'`,
      [],
    );
    expect(rows).toMatchObject([{ attempt: 2, options: expect.not.stringContaining('Jack') }]);
  });
});
