import { createHash } from 'node:crypto';
import { requireDiskRoom } from './disk-room.ts';
import { newId } from '../shared/ids.ts';
import type { Account } from '../accounts/account.ts';
import type { StoredFile } from './stored-file.ts';
import type { Files } from './file-use-cases.ts';
import { waitFor } from '../shared/wait-for.ts';
import type { FilesDeps } from './deps.ts';
import { cleanFilename, contentTypeFor, nameFromPath } from './names.ts';
import { importPlan, unknownFile } from './new-file.ts';
import { requireRoomForFile } from '../accounts/quotas.ts';

/** "importing the same link again within an hour gives the same file" */
const sameLinkMs = 3_600_000;
/** The contract says about 20 s, including the connection. */
const waitSeconds = 15;

/** The worker fetches imports; the request waits up to `waitSeconds` for the result. */
export function createImporting(deps: FilesDeps, now: () => Date): Files['importLink'] {
  const { files, objects, links, changes, config } = deps;

  const isSame = (file: StoredFile, { since, at }: { readonly since: Date; readonly at: Date }): boolean =>
    file.createdAt >= since && file.expiresAt > at && file.status !== 'invalid' && file.status !== 'deleted';

  /**
   * Concurrent imports of one link share one file. If that file has failed or was deleted, its id is part of the next
   * idempotency key.
   */
  const begin = async (account: Account, url: URL, filename: string | undefined): Promise<StoredFile> => {
    const at = now();
    const times = { since: new Date(at.getTime() - sameLinkMs), at };
    const importHash = createHash('sha256').update(url.href).digest('hex');
    const known = await files.findImport(account.id, importHash, times);
    if (known !== null) return known;
    await requireDiskRoom(objects, config, 0);
    const name = filename ?? nameFromPath(url);
    let key = `import:${importHash}:${Math.floor(at.getTime() / sameLinkMs)}`;
    for (;;) {
      const { file, created } = await files.create(
        unknownFile({
          id: newId('file'),
          accountId: account.id,
          status: 'processing',
          filename: name,
          contentType: contentTypeFor(name),
          upload: importPlan(url, filename !== undefined),
          importHash,
          createdAt: at,
          expiresAt: new Date(at.getTime() + config.retentionSeconds * 1000),
        }),
        { key, requestHash: importHash },
        (usage) => requireRoomForFile(usage, null, config),
      );
      if (created || isSame(file, times)) return file;
      key = `import:${importHash}:${file.id}`;
    }
  };

  return async (account, wanted) => {
    const url = links.check(wanted.url);
    const filename = wanted.filename === undefined ? undefined : cleanFilename(wanted.filename);
    const file = await begin(account, url, filename);
    const done = (current: StoredFile | null): boolean => current?.status !== 'processing';
    return (await waitFor(changes, file.id, () => files.get(file.id), done, waitSeconds)) ?? file;
  };
}
