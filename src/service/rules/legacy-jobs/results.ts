import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Config } from '../settings/config.ts';
import { expired, ownFile, requireReady } from '../files/guards.ts';
import { openFile } from '../files/open-file.ts';
import type { LegacyJobs } from './legacy-job-use-cases.ts';
import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { Tokens } from '../shared/tokens.ts';

interface ResultDeps {
  readonly files: FileStore;
  readonly objects: ObjectStore;
  readonly tokens: Tokens;
  readonly config: Pick<Config, 'legacyDownloads'>;
  readonly now: () => Date;
}

/** How long a result's link works. */
const linkMs = 24 * 3_600_000;

/** The results of older-API jobs, by path. */
export function createLegacyResults({
  files,
  objects,
  tokens,
  config,
  now,
}: ResultDeps): Pick<LegacyJobs, 'nameOf' | 'open'> {
  return {
    nameOf({ fileId, expiresAt }) {
      if (expiresAt === null || config.legacyDownloads === 'key') return fileId;
      // With the default retention, every request returns the same link.
      return tokens.sign('result', fileId, new Date(Math.min(expiresAt.getTime(), now().getTime() + linkMs)));
    },

    async open(account, name) {
      const at = now();
      // With a key, an expired link still works for the account's own file.
      const reading = await tokens.read('result', name, account === null ? at : new Date(0));
      if (account === null && (!reading.ok || config.legacyDownloads === 'key'))
        throw new EarshotError(
          'unauthorized',
          reading.ok || reading.reason === 'forged'
            ? 'Expected a whole download path, or the header x-api-key, but received neither'
            : 'This download path has expired; expected the header x-api-key with an API key',
        );
      const fileId = reading.ok ? reading.id : name;
      const file = account === null ? await files.get(fileId) : await ownFile(files, account, fileId, at);
      if (file !== null && file.expiresAt <= at) throw expired(file);
      if (file?.kind !== 'output')
        throw new EarshotError('not_found', `There is no result ${fileId}`, { details: { id: fileId } });
      return openFile(objects, requireReady(file));
    },
  };
}
