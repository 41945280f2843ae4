// Ends of realtime sessions: by the client, by time, by a key that is taken back, by the service. What is not told
// costs nothing, and nothing of it is kept. And what waits while more comes.
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { slow } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createGate, eventually } from '../../../fixtures/until.ts';
import { commit, createTurns, keptFiles, manual, openSession, realtime } from './realtime-client.ts';

const services = useServices();
const media = createTurns();
let service: TestService;

beforeAll(async () => {
  service = await services.start({ media });
});
afterEach(() => {
  media.runMs = 0;
  media.beforeRunEnds = () => Promise.resolve();
});

const session = (credits?: number) => openSession(service, credits);
const kept = (accountId: string) => keptFiles(service, accountId);

describe('a session that ends', () => {
  it('in a turn costs nothing and leaves nothing', async () => {
    const { client, balance, account } = await session();
    media.runMs = 600_000;
    manual(client);
    const runs = media.runs.length;
    commit(client, 2);
    await eventually(() => {
      expect(media.runs.length).toBe(runs + 1);
    });
    client.socket.terminate();
    await eventually(async () => {
      const { rows } = await service.stores.database.query('select status from jobs where account_id = $1', [
        account.id,
      ]);
      expect(rows).toEqual([{ status: 'cancelled' }]);
    });
    expect(await balance()).toBe(1000);
    await eventually(async () => {
      expect(await kept(account.id)).toEqual([]);
    });
  });

  it('after its time, or without an event, says so', slow, async () => {
    const short = await services.start({ media, config: { realtimeSeconds: '2', realtimeIdleSeconds: '1' } });
    const { key } = await short.account(10);
    const client = await realtime(short.base, key);
    await eventually(() => {
      expect(client.closed?.code).toBe(1000);
    });
    expect(client.of('error').map(({ error }) => error.code)).toEqual(['session_idle']);
    const busy = await realtime(short.base, key);
    const beat = setInterval(() => busy.send({ type: 'input_audio_buffer.clear' }), 200);
    onTestFinished(() => clearInterval(beat));
    await eventually(() => {
      expect(busy.closed).toEqual({ code: 1000, reason: 'A session lasts 2 s at most' });
    });
    expect(busy.of('error').map(({ error }) => error.code)).toEqual(['session_expired']);
  });

  it('with its key ends with the next turn', slow, async () => {
    const { client, account } = await session();
    manual(client);
    await client.heard('session.updated');
    await service.stores.database.query('update api_keys set revoked_at = now() where account_id = $1', [account.id]);
    commit(client, 1);
    await eventually(() => {
      expect(client.closed?.code).toBe(1008);
    });
    expect(client.of('conversation.item.input_audio_transcription.failed')[0]?.error.code).toBe('invalid_api_key');
  });

  it('with the service says that it goes, and its turn costs nothing', slow, async () => {
    const other = await services.start({ media });
    const { key, account } = await other.account(1000);
    const client = await realtime(other.base, key);
    media.runMs = 600_000;
    manual(client);
    const runs = media.runs.length;
    commit(client, 2);
    await eventually(() => {
      expect(media.runs.length).toBe(runs + 1);
    });
    const closing = other.app.close();
    await eventually(() => {
      expect(client.closed).toEqual({ code: 1001, reason: 'The service is stopping' });
    });
    await eventually(async () => {
      expect((await other.operator.account(account.id)).balance).toBe(1000);
    });
    await closing;
  });
});

describe('a service', () => {
  it('reads no further while turns wait, and takes all in the end', slow, async () => {
    const small = await services.start({
      media,
      config: { realtimeBufferBytes: '65536', realtimeAppendBytes: '65536' },
    });
    const { client } = await openSession(small);
    const held = createGate();
    media.beforeRunEnds = () => held.opened;
    manual(client);
    for (let count = 0; count < 20; count += 1) commit(client, 1);
    const runs = media.runs.length;
    await eventually(() => {
      expect(media.runs.length).toBe(runs + 1);
    });
    // Two fill what may wait: the events of a third are not read.
    client.send({ type: 'input_audio_buffer.clear' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(client.of('input_audio_buffer.committed')).toHaveLength(2);
    expect(client.of('input_audio_buffer.cleared')).toEqual([]);
    held.open();
    await client.heard('input_audio_buffer.cleared');
    await client.heard('conversation.item.input_audio_transcription.completed', 20);
    expect(client.of('error')).toEqual([]);
  });

  it('has its websockets beside those of the older API', slow, async () => {
    const both = await services.start({ media, config: { legacyHost: 'older.test' } });
    const { client, key } = await openSession(both);
    expect(client.types()).toEqual(['session.created']);
    const older = new WebSocket(`${both.base.replace('http', 'ws')}/v1/wss/remove-noise/job_none/status`, {
      headers: { host: 'older.test', 'x-api-key': key },
    });
    older.on('error', () => undefined);
    const [, response] = (await once(older, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(404);
    older.terminate();
  });
});
