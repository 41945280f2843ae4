import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Account } from '../accounts/account.ts';
import type { Files } from '../files/file-use-cases.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { newId } from '../shared/ids.ts';
import type { EditStore } from './edit-store.ts';
import type { Edits } from './edit-use-cases.ts';
import type { createProjects } from './projects.ts';

/** Of one recording. */
const mostVersions = 50;

interface VersionsDeps {
  readonly edits: EditStore;
  readonly projects: ReturnType<typeof createProjects>;
  readonly remove: Files['remove'];
  /** The account's file, in any state. @throws EarshotError not_found, file_expired */
  own(account: Account, fileId: string): Promise<StoredFile>;
  /** @throws also file_not_ready, wrong_file_type, no_audio */
  recording(account: Account, fileId: string): Promise<StoredFile>;
}

type Versions = Pick<
  Edits,
  'nameVersion' | 'versions' | 'version' | 'removeVersion' | 'project' | 'parts' | 'removeProject'
>;

/** Versions of an edit, and what is kept with it. */
export function createVersions({ edits, projects, remove, own, recording }: VersionsDeps): Versions {
  return {
    async nameVersion(account, fileId, named) {
      await recording(account, fileId);
      const there = await edits.versions(account.id, fileId);
      if (there.length >= mostVersions)
        throw new EarshotError('limit_exceeded', `Expected at most ${mostVersions} versions but there are as many`, {
          details: { id: fileId },
          nextAction: 'Delete one of them.',
        });
      const saved = await edits.addVersion({ ...named, id: newId('ver'), fileId, accountId: account.id });
      if (saved === null)
        throw new EarshotError('conflict', 'The edit was changed since it was read', { details: { id: fileId } });
      return saved;
    },
    async versions(account, fileId) {
      await recording(account, fileId);
      return edits.versions(account.id, fileId);
    },
    async version(account, fileId, id) {
      await recording(account, fileId);
      const found = await edits.version(account.id, fileId, id);
      if (found === null) throw new EarshotError('not_found', `There is no version ${id}`, { details: { id } });
      return found;
    },
    async removeVersion(account, fileId, id) {
      await recording(account, fileId);
      await edits.removeVersion(account.id, fileId, id);
    },
    async project(account, fileId) {
      const file = await recording(account, fileId);
      if ((await edits.get(fileId)) !== null) await projects.keep(account, file);
      return projects.of(account, file);
    },
    async parts(account, fileId) {
      const file = await recording(account, fileId);
      await projects.keep(account, file);
      return projects.parts(account, fileId);
    },
    async removeProject(account, fileId) {
      const { id } = await own(account, fileId);
      // The recording last: a project of which a part could not be deleted is still there.
      for (const part of [...(await projects.parts(account, id)).filter((each) => each !== id), id])
        await remove(account, part);
    },
  };
}
