import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createService } from '../../../src/service/serve/create-service.ts';
import { createFileTasks } from '../../../src/service/rules/files/tasks/file-tasks.ts';
import type { CheckOutcome, MediaWork } from '../../../src/library/contract/media-work.ts';
import type { LinkFetcher } from '../../../src/service/rules/files/links.ts';
import { createTokens } from '../../../src/service/rules/shared/tokens.ts';
import { useDatabases } from '../../fixtures/service/database.ts';
import { createHost } from '../rules/host.ts';
import { fakeTools } from '../rules/tool-facts.ts';

const databases = useDatabases();

const noLinks: LinkFetcher = {
  check: (url) => new URL(url),
  fetch: () => Promise.reject(new Error('not part of this test')),
};
const checked: CheckOutcome = {
  ok: true,
  contentType: 'audio/wav',
  format: 'wav',
  durationSeconds: 90,
  hasVideo: false,
  hasAudio: true,
  media: { codec: 'pcm_s16le', sampleRate: 48_000, channels: 1, width: null, height: null },
};

it('wires the main job: key, upload, check, quote, job, output, download, ledger', async () => {
  await using host = await createHost(await databases.freshStores());
  const { stores, objects, config, log } = host;
  const media: MediaWork = {
    ...host.media,
    check: () => Promise.resolve(checked),
    run: async (request) => ({ ...(await host.media.run(request)), processedSeconds: 90 }),
  };
  let address = '';
  const service = createService({
    config,
    baseUrl: () => address,
    stores,
    objects,
    links: noLinks,
    tokens: await createTokens(stores.tokenKeys),
    visitors: { subjectOf: (address) => address },
    provider: null,
    verifier: null,
    tools: fakeTools(),
  });
  address = 'http://127.0.0.1:3000';
  const worker = host.makeWorker({
    media,
    files: createFileTasks({ files: stores.files, objects, links: noLinks, media, config, log }),
  });
  await worker.start();

  const { id } = await host.account(100);
  const { secret } = await host.operator.addKey(id, 'test');
  const account = await service.access.byBearer(secret);
  expect(account.id).toBe(id);

  const { file, upload } = await service.files.create(account, { filename: 'talk.wav', sizeBytes: 5 });
  expect(upload?.url.startsWith(`${address}/`)).toBe(true);
  const token = new URL(upload?.url ?? '').pathname.split('/').find((part) => part.includes('.')) ?? '';
  await service.files.acceptUpload(token, Readable.from([Buffer.from('sound')]), 5, new AbortController().signal);
  const ready = await service.files.get(account, file.id, 10);
  expect(ready).toMatchObject({ status: 'ready', durationSeconds: 90 });
  expect(service.tools.pricesFor(ready.durationSeconds ?? 0)).toMatchObject({ remove_noise: 2, remove_fillers: 3 });
  expect(await service.tools.quote(account, 'remove_noise', [file.id])).toMatchObject({ seconds: 90, credits: 2 });

  const { job } = await service.jobs.create(account, {
    tool: 'remove_noise',
    inputs: { file_id: [file.id] },
    options: { acts: ['succeed'], id: 'one' },
    idempotencyKey: 'one',
    maxCredits: 2,
    free: undefined,
  });
  expect(await host.ended(job.id)).toMatchObject({ status: 'succeeded', price: 2 });
  const { outputs } = await service.jobs.get(account, job.id);
  const link = await service.files.downloadLink(account, outputs[0]?.id ?? '');
  const download = await service.files.openDownload(new URL(link.url).pathname.split('/')[2] ?? '');
  expect(await text(await download.read())).toBe('output 0 of one, start 1');
  expect(
    (await service.accounts.ledger(account, { cursor: null, limit: 10 })).items.map(({ kind, credits, balance }) => [
      kind,
      credits,
      balance,
    ]),
  ).toEqual([
    ['charge', -2, 98],
    ['grant', 100, 100],
  ]);
  expect((await service.accounts.view(await host.operator.account(id))).account).toMatchObject({
    balance: 98,
    reserved: 0,
  });
  await worker.stop();
  expect(log.entries).toEqual([]);
});
