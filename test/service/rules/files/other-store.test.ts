import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createMemoryObjects } from '../../../conformance/memory-object-store.ts';
import { inPieces, numbered } from '../../../conformance/object-store.ts';
import { bins, never, tokenOf, useFilesHosts } from './host.ts';

const { openAlone } = useFilesHosts();
const mebibyte = 1024 * 1024;

test('a file lives its whole life in a store that is no disk', async () => {
  const host = await openAlone({
    env: { EARSHOT_PART_BYTES: String(8 * mebibyte) },
    objects: createMemoryObjects(),
  });
  const { files, tasks, objects } = host;
  const owner = await host.account();
  const whole = numbered(17 * mebibyte, 3);
  const { file, multipart } = await files.create(owner, { filename: 'a.wav', sizeBytes: whole.length });
  const token = tokenOf(multipart?.completeUrl);
  const send = async (part: number): Promise<void> => {
    const bytes = whole.subarray((part - 1) * 8 * mebibyte, part * 8 * mebibyte);
    await files.acceptPart(token, part, inPieces(bytes), bytes.length, never);
  };
  await Promise.all([send(3), send(1)]);
  await expect(files.completeUpload(token)).rejects.toMatchObject({ details: { missingParts: [2] } });
  await Promise.all([send(2), send(1)]);
  await files.completeUpload(token);
  await tasks.checkFile(file.id, never);
  expect((await files.get(owner, file.id, 0)).status).toBe('ready');
  await host.stores.files.requestPeaks(file.id);
  await tasks.makePeaks(file.id, never);
  const { peaksKey } = await files.get(owner, file.id, 0);
  expect(await buffer(await objects.read(peaksKey ?? ''))).toEqual(bins);
  const { url } = await files.downloadLink(owner, file.id);
  const download = await files.openDownload(tokenOf(url));
  expect(
    (await buffer(await download.read({ start: 5, end: 20 * 1024 }))).equals(whole.subarray(5, 20 * 1024 + 1)),
  ).toBe(true);
  // Nothing of it was kept in the data folder.
  expect(host.onDisk()).toEqual([]);

  const second = await files.create(owner, { filename: 'b.wav', sizeBytes: whole.length });
  const part = whole.subarray(0, 8 * mebibyte);
  await files.acceptPart(tokenOf(second.multipart?.completeUrl), 1, inPieces(part), part.length, never);
  await files.abort(owner, second.file.id);
  await files.remove(owner, file.id);
  for await (const { key } of objects.stale(new Date(Date.now() + 60_000))) expect.unreachable(key);
});
