import type { Account } from '../accounts/account.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { Config } from '../settings/config.ts';
import { editKey } from './edit-jobs.ts';
import type { EditStore } from './edit-store.ts';

export interface ProjectDeps {
  readonly edits: Pick<EditStore, 'project' | 'keep'>;
  readonly config: Pick<Config, 'projectDays' | 'projectBytes' | 'retentionSeconds'>;
  readonly now: () => Date;
}

/** A recording with everything that was made of it in the editor. */
export interface Project {
  readonly keptUntil: Date;
  /** Bytes of its files. */
  readonly bytes: number;
  /** Bytes of all projects of the account, and most of them. */
  readonly accountBytes: number;
  readonly mostBytes: number;
  /** After the last change. 0: it is kept as long as any other file. */
  readonly days: number;
}

type Recording = Pick<StoredFile, 'id' | 'expiresAt'>;

/** A change is written down at most so often as that the project lives on for longer. */
const grainMs = 6 * 3_600_000;

/** Recordings that are edited, their transcripts and what was rendered of them live together. */
export function createProjects({ edits, config, now }: ProjectDeps) {
  const { projectDays: days, projectBytes: mostBytes, retentionSeconds } = config;
  const look = (account: Account, fileId: string) =>
    edits.project(account.id, fileId, editKey(fileId), retentionSeconds);
  const until = (): Date => new Date(now().getTime() + days * 86_400_000);

  /** Lets all of it live on, where the account has room for it. */
  const keep = async (account: Account, { id }: Recording): Promise<void> => {
    if (days === 0) return;
    const { ids, bytes, otherBytes } = await look(account, id);
    if (otherBytes + bytes <= mostBytes) await edits.keep(account.id, ids, until());
  };

  return {
    keep,
    /** As `keep`, after a change: not again within some hours. */
    async keepChanged(account: Account, file: Recording): Promise<void> {
      if (file.expiresAt.getTime() < until().getTime() - grainMs) await keep(account, file);
    },
    /** Ids of its files. */
    parts: async (account: Account, fileId: string): Promise<readonly string[]> => (await look(account, fileId)).ids,
    async of(account: Account, { id }: Recording): Promise<Project> {
      const { keptUntil, bytes, otherBytes } = await look(account, id);
      return { keptUntil, bytes, accountBytes: otherBytes + bytes, mostBytes, days };
    },
  };
}
