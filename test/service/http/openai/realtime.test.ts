// OpenAI's realtime transcription as its official client speaks it, against the whole service. Turns are found in real
// speech; what was said in them is written in `said.ts`.
import { once } from 'node:events';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { listProcesses } from '../../../fixtures/processes/listed.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { eventually } from '../../../fixtures/until.ts';
import { commit, createTurns, keptFiles, manual, openSession, realtime } from './realtime-client.ts';
import { jfk, tone } from './realtime-sound.ts';

const services = useServices();
const media = createTurns();
let service: TestService;

beforeAll(async () => {
  service = await services.start({ media, config: { jobSlots: '4', accountRealtimeSessions: '3' } });
});
afterEach(() => {
  media.runMs = 0;
  media.beforeRunEnds = () => Promise.resolve();
});

const session = (credits?: number) => openSession(service, credits);
const whole = 'Guten Tag zusammen. Wir beginnen jetzt.';
const kept = (accountId: string) => keptFiles(service, accountId);

describe('a session', () => {
  it('finds the turns of a speech by itself, and tells each as it is read and whole', async () => {
    const { client, account, balance } = await session();
    client.append(jfk());
    const completed = await client.heard('conversation.item.input_audio_transcription.completed', 3);
    const started = client.of('input_audio_buffer.speech_started');
    const stopped = client.of('input_audio_buffer.speech_stopped');
    const committed = client.of('input_audio_buffer.committed');
    // "And so, my fellow Americans" after .3 s; pauses behind it and behind "ask not".
    expect(started[0]?.audio_start_ms).toBeLessThan(500);
    expect(stopped[0]?.audio_end_ms).toBeGreaterThan(2000);
    expect(stopped[0]?.audio_end_ms).toBeLessThan(3500);
    expect(committed.map(({ item_id: id }) => id)).toEqual(
      started.slice(0, committed.length).map(({ item_id: id }) => id),
    );
    expect(committed.map(({ previous_item_id: id }) => id)).toEqual([
      null,
      ...committed.slice(0, -1).map(({ item_id: id }) => id),
    ]);
    expect(completed.map(({ transcript }) => transcript)).toEqual(completed.map(() => whole));
    expect(completed[0]).toMatchObject({ content_index: 0, usage: { type: 'duration', seconds: 8.4 } });
    const ofFirst = client.events.filter((event) => 'item_id' in event && event.item_id === started[0]?.item_id);
    expect(ofFirst.map((event) => ('delta' in event ? event.delta : event.type))).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'Guten Tag zusammen.',
      ' Wir beginnen jetzt.',
      'conversation.item.input_audio_transcription.completed',
    ]);
    expect(client.of('conversation.item.done')[0]?.item).toMatchObject({
      id: started[0]?.item_id,
      role: 'user',
      content: [{ type: 'input_audio' }],
    });
    expect(new Set(client.events.map((event) => ('event_id' in event ? event.event_id : ''))).size).toBe(
      client.events.length,
    );
    // Eleven seconds are one minute, however many turns they have.
    expect(await balance()).toBe(999);
    await eventually(async () => {
      expect(await kept(account.id)).toEqual([]);
    });
  });

  it('takes commits of the client, with its language, prompt and keywords, and each costs what it adds', async () => {
    const { client, balance } = await session();
    client.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: {
          input: {
            turn_detection: null,
            transcription: {
              model: 'gpt-4o-transcribe',
              language: 'de',
              prompt: 'Zyntriqix',
              keywords: ['Digique Plus'],
            },
          },
        },
        include: ['item.input_audio_transcription.logprobs'],
      },
    });
    const [{ session: told } = { session: null }] = await client.heard('session.updated');
    expect(told).toMatchObject({
      type: 'transcription',
      audio: {
        input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: null, transcription: { language: 'de' } },
      },
    });
    const costs: number[] = [];
    let before = await balance();
    for (const [index, seconds] of [25, 25, 25].entries()) {
      commit(client, seconds);
      await client.heard('conversation.item.input_audio_transcription.completed', index + 1);
      const now = await balance();
      costs.push(before - now);
      before = now;
    }
    // 75 s at one credit a minute.
    expect(costs).toEqual([1, 0, 1]);
    expect(media.runs.at(-1)?.options).toMatchObject({ language: 'de', vocabulary: ['Digique Plus', 'Zyntriqix'] });
    expect(client.of('input_audio_buffer.speech_started')).toEqual([]);
  });

  it('takes what was named otherwise in earlier versions, and telephone sound', slow, async () => {
    const { client } = await session();
    client.send({
      type: 'transcription_session.update',
      session: {
        input_audio_format: 'g711_ulaw',
        input_audio_transcription: { model: 'whisper-1' },
        turn_detection: null,
        input_audio_noise_reduction: { type: 'near_field' },
      },
    });
    await client.heard('transcription_session.updated' as never);
    client.append(Buffer.alloc(8000, 0xff));
    client.send({ type: 'input_audio_buffer.commit' });
    await client.heard('conversation.item.input_audio_transcription.completed');
    expect(media.runs.at(-1)?.inputs['file_id']?.[0]?.name).toBe('turn.wav');
    expect(client.events.at(1)).toMatchObject({
      session: { input_audio_format: 'g711_ulaw', input_audio_noise_reduction: { type: 'near_field' } },
    });
  });

  it('forgets what is cleared', slow, async () => {
    const { client } = await session();
    manual(client);
    client.append(tone(1));
    client.send({ type: 'input_audio_buffer.clear' });
    await client.heard('input_audio_buffer.cleared');
    client.send({ type: 'input_audio_buffer.commit', event_id: 'mine' });
    const [error] = await client.heard('error');
    expect(error?.error).toMatchObject({ code: 'input_audio_buffer_commit_empty', event_id: 'mine' });
  });

  it('opens with the key as a subprotocol, as browsers must send it', async () => {
    const { key } = await service.account(10);
    const { hostname, port } = new URL(service.base);
    const native = globalThis.WebSocket;
    class Plain extends WebSocket {
      constructor(address: string, protocols: string[]) {
        super(address, protocols, { createConnection: () => connect(Number(port), hostname) });
      }
    }
    globalThis.WebSocket = Plain as unknown as typeof native;
    try {
      const openai = new OpenAI({ apiKey: key, baseURL: `${service.base}/v1` });
      const opened = new OpenAIRealtimeWebSocket({ intent: 'transcription' }, openai);
      const event = await new Promise<unknown>((resolve) => opened.on('session.created', resolve));
      expect(event).toMatchObject({ session: { type: 'transcription' } });
      expect(opened.socket.protocol).toBe('realtime');
      opened.close();
    } finally {
      globalThis.WebSocket = native;
    }
    expect(service.logged()).not.toContain(key);
  });
});

describe('what goes wrong', () => {
  it('is refused before the handshake: a wrong key, an unknown model, a call, too many sessions', async () => {
    const { key } = await service.account(10);
    const ask = async (query: string, apiKey = key): Promise<number> => {
      const socket = new WebSocket(`${service.base.replace('http', 'ws')}/v1/realtime?${query}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      socket.on('error', () => undefined);
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      socket.terminate();
      return response.statusCode;
    };
    expect([
      await ask('intent=transcription', 'svc_sk_wrong'),
      await ask('model=gpt-9'),
      await ask('call_id=rtc_1'),
      await ask('intent=conversation'),
    ]).toEqual([401, 404, 400, 400]);
    const open = [
      await realtime(service.base, key),
      await realtime(service.base, key),
      await realtime(service.base, key),
    ];
    expect(await ask('intent=transcription')).toBe(429);
    for (const { socket } of open) socket.terminate();
    await eventually(async () => {
      const one = await realtime(service.base, key);
      one.socket.terminate();
    });
    const answer = await fetch(`${service.base}/v1/realtime`, { headers: { authorization: `Bearer ${key}` } });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.stringContaining('websocket') }) },
    ]);
  });

  it('in an event is told with its id, and the session goes on', async () => {
    const { client } = await session();
    const update = (input: object, type: string = 'transcription') => ({
      type: 'session.update',
      session: { type, audio: { input } },
    });
    const wrong: readonly (readonly [object, string | null, string | null])[] = [
      [{ type: 'response.create' }, 'bad_request', 'type'],
      [{ type: 12 }, 'bad_request', 'type'],
      [{}, 'bad_request', 'type'],
      [update({}, 'realtime'), 'bad_request', 'session.type'],
      [update({ format: { type: 'audio/mp3' } }), 'bad_request', 'session.audio.input.format.type'],
      [update({ format: { type: 'audio/pcm', rate: 16_000 } }), 'bad_request', 'session.audio.input.format.rate'],
      [update({ transcription: { model: 'gpt-9' } }), 'model_not_found', 'model'],
      [update({ transcription: { language: 'German' } }), 'bad_request', 'session.audio.input.transcription.language'],
      [update({ turn_detection: { type: 'magic' } }), 'bad_request', 'session.audio.input.turn_detection.type'],
      [
        update({ turn_detection: { type: 'server_vad', threshold: 2 } }),
        'bad_request',
        'session.audio.input.turn_detection.threshold',
      ],
      [{ type: 'session.update' }, 'bad_request', 'session'],
      [{ type: 'input_audio_buffer.append' }, 'bad_request', 'audio'],
      [{ type: 'input_audio_buffer.append', audio: 'no base64!' }, 'bad_request', 'audio'],
      [{ type: 'input_audio_buffer.append', audio: 'AAAA' }, 'bad_request', 'audio'],
      [{ type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty', null],
    ];
    for (const [index, [event]] of wrong.entries()) client.send({ ...event, event_id: `mine_${index}` });
    client.socket.send('{"type":');
    client.socket.send('[1]');
    client.socket.send(Buffer.from([1, 2, 3]));
    const errors = await client.heard('error', wrong.length + 3);
    expect(errors.slice(0, wrong.length).map(({ error }) => [error.code, error.param, error.event_id])).toEqual(
      wrong.map(([, code, param], index) => [code, param, `mine_${index}`]),
    );
    expect(errors.slice(wrong.length).map(({ error }) => [error.code, error.event_id])).toEqual([
      ['invalid_json', null],
      ['bad_request', null],
      ['bad_request', null],
    ]);
    manual(client);
    commit(client, 1);
    await client.heard('conversation.item.input_audio_transcription.completed');
  });

  it('in a thousand events is told a thousand times, in order', slow, async () => {
    const { client } = await session();
    for (let index = 0; index < 1000; index += 1) client.send({ type: `nothing.${index}`, event_id: String(index) });
    const errors = await client.heard('error', 1000);
    expect(errors.map(({ error }) => error.event_id)).toEqual(errors.map((_, index) => String(index)));
  });

  it('ends a session with a message that is too large', slow, async () => {
    const { client } = await session();
    client.socket.send('x'.repeat(2 * 2 ** 20));
    await eventually(() => {
      expect(client.closed?.code).toBe(1009);
    });
  });

  it('keeps at most so much sound that is never committed', slow, async () => {
    const { client } = await session();
    manual(client);
    const second = tone(20);
    for (let count = 0; count < 10; count += 1)
      client.send({ type: 'input_audio_buffer.append', audio: second.toString('base64') });
    const [error] = await client.heard('error');
    expect(error?.error).toMatchObject({ code: 'input_audio_buffer_full', param: 'audio' });
  });

  it('in a turn is told for the turn, costs nothing, and leaves nothing', async () => {
    const { client, balance, account } = await session();
    manual(client);
    const { run } = media;
    media.run = () => Promise.reject(new TypeError('the reason, which is for the log'));
    onTestFinished(() => void (media.run = run));
    commit(client, 2);
    const [failed] = await client.heard('conversation.item.input_audio_transcription.failed');
    expect(failed?.error).toMatchObject({ code: 'internal_error', type: 'server_error' });
    expect(JSON.stringify(failed)).not.toContain('which is for the log');
    media.run = run;
    commit(client, 2);
    await client.heard('conversation.item.input_audio_transcription.completed');
    expect(await balance()).toBe(999);
    await eventually(async () => {
      expect(await kept(account.id)).toEqual([]);
    });
  });

  it('without credits is told for each turn', slow, async () => {
    const { client } = await session(0);
    manual(client);
    commit(client, 1);
    const [failed] = await client.heard('conversation.item.input_audio_transcription.failed');
    expect(failed?.error).toMatchObject({ code: 'insufficient_quota', type: 'insufficient_quota' });
    expect(client.closed).toBeNull();
  });

  it('with the process that listens is not heard: turns are still found', slow, async () => {
    const { client } = await session();
    const sound = jfk();
    const half = Math.floor(sound.length / 9600) * 4800;
    client.append(sound.subarray(0, half));
    await client.heard('input_audio_buffer.speech_started');
    const listeners = listProcesses().filter(
      ({ parent, command }) => parent === process.pid && command.includes('voice-process'),
    );
    expect(listeners).toHaveLength(1);
    for (const { pid } of listeners) process.kill(pid, 'SIGKILL');
    client.append(sound.subarray(half));
    await client.heard('conversation.item.input_audio_transcription.completed', 2);
    expect(client.of('error')).toEqual([]);
  });
});
