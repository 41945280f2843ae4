// Ids of cuts come from a dry run: those that it did not list are refused when a job is ordered.
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/library/core/json.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { createStockedHost, requestFor, textual } from '../stocked-host.ts';

const databases = useDatabases();

it('refuses ids that no dry run listed, as far as dry runs with this file are on record', async () => {
  const stocked = await createStockedHost(await databases.freshStores());
  await using host = stocked.host;
  const { account, audio, transcript } = stocked;
  const order = (options: JsonObject, transcriptId = transcript.id) =>
    host.jobs.create(
      account,
      requestFor(audio, {
        tool: 'remove_fillers',
        inputs: { file_id: [audio.id], transcript_file_id: [transcriptId] },
        options,
      }),
    );
  const answer = async (id: string, ids: readonly string[]): Promise<void> => {
    await host.stores.jobs.start(id, 'worker', 3);
    const result = { cuts: ids.map((each) => ({ id: each })) };
    const success = { outputs: [], result, processedSeconds: 1, warnings: [], credits: 1 };
    expect(await host.stores.jobs.succeed(id, 1, success)).toBe(true);
  };
  // Nothing is known yet: the job finds out.
  await order({ cut_ids: ['c1'] });
  await answer((await order({ dry_run: true })).job.id, ['c1', 'c2']);
  await order({ cut_ids: ['c2'] });
  await expect(order({ cut_ids: ['c1', 'c3'] })).rejects.toMatchObject({
    code: 'bad_request',
    message: 'Expected cut_ids from a dry run with this transcript_file_id but received c3',
    details: { tool: 'remove_fillers', field: 'cut_ids', expected: 'one of 2 ids' },
  });
  // Two dry runs, with other options: what either of them listed.
  await answer((await order({ dry_run: true, repeats: false })).job.id, ['c3']);
  await order({ cut_ids: ['c1', 'c3'] });
  // The one that wrote the transcript.
  const { job } = await host.jobs.create(
    account,
    requestFor(audio, { tool: 'remove_fillers', inputs: { file_id: [audio.id] }, options: { dry_run: true } }),
  );
  await answer(job.id, ['c7']);
  const written = await host.file(account, {
    ...textual,
    filename: 'words.json',
    format: 'json',
    kind: 'output',
    sourceJobId: job.id,
  });
  await order({ cut_ids: ['c7'] }, written.id);
  await expect(order({ cut_ids: ['c1'] }, written.id)).rejects.toMatchObject({ code: 'bad_request' });
});
