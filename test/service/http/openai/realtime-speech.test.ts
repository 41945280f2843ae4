// @module-tag slow
// A realtime session in which a real person speaks, on several machines: it lives on one, its turns run on another.
import { beforeAll, expect, it } from 'vitest';
import { listProcesses } from '../../../fixtures/processes/listed.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { eventually } from '../../../fixtures/until.ts';
import { keptFiles, openSession } from './realtime-client.ts';
import { jfk } from './realtime-sound.ts';

const services = useServices();
let front: TestService;
let worker: TestService;

beforeAll(async () => {
  worker = await services.start({ media: 'own' });
  front = await services.start({ stores: worker.stores, worker: false, config: { data: worker.config.data } });
});

it('hears what is said in a turn, though its process is killed once, and charges it once', async () => {
  const { client, account, balance } = await openSession(front);
  client.send({
    type: 'session.update',
    session: { type: 'transcription', audio: { input: { transcription: { language: 'en' } } } },
  });
  // "And so, my fellow Americans", and the pause behind it.
  client.append(jfk().subarray(0, 48_000 * 3.1));
  await client.heard('input_audio_buffer.committed');
  await eventually(async () => {
    // It reads.
    const { rows } = await worker.stores.database.query(
      "select id from jobs where status = 'running' and progress > 0",
      [],
    );
    expect(rows).toHaveLength(1);
  });
  const jobs = listProcesses().filter(
    ({ parent, command }) => parent === process.pid && command.includes('job-process'),
  );
  expect(jobs).not.toEqual([]);
  for (const { pid } of jobs) process.kill(pid, 'SIGKILL');
  const [completed] = await client.heard('conversation.item.input_audio_transcription.completed');
  expect(completed?.transcript.toLowerCase()).toMatch(/my fellow americans/);
  expect(client.of('conversation.item.input_audio_transcription.delta').map(({ delta }) => delta)).toEqual([
    completed?.transcript,
  ]);
  expect(await balance()).toBe(999);
  const { rows } = await front.stores.database.query('select status, attempt from jobs', []);
  expect(rows).toEqual([{ status: 'succeeded', attempt: 2 }]);
  await eventually(async () => {
    expect(await keptFiles(front, account.id)).toEqual([]);
  });
});
