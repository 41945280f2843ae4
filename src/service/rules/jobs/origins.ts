import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { Account } from '../accounts/account.ts';
import type { FileStore } from '../files/file-store.ts';
import { ownFile } from '../files/guards.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { JobStore } from './job-store.ts';

/** What made a file. */
export interface Origin {
  readonly tool: ToolId;
  /** The tool's result besides its files. */
  readonly result: JsonObject;
  /** What it was made of, by input field, in order; their bytes may be gone. */
  readonly inputs: FilesByField<StoredFile>;
  /** All that was made with it. */
  readonly outputs: readonly StoredFile[];
}

/** Where files come from. */
export interface Origins {
  /**
   * @returns also the account's file itself
   * @throws EarshotError wrong_file_type for a file that no tool made; not_found, file_expired
   */
  of(account: Account, fileId: string): Promise<{ readonly file: StoredFile; readonly origin: Origin }>;
}

/** The recordings and the tool that a file was made of. */
export function createOrigins({
  files,
  jobs,
  now = () => new Date(),
}: {
  readonly files: Pick<FileStore, 'get' | 'getMany'>;
  readonly jobs: Pick<JobStore, 'get'>;
  readonly now?: () => Date;
}): Origins {
  return {
    async of(account, fileId) {
      const file = await ownFile(files, account, fileId, now());
      const job = file.sourceJobId === null ? null : await jobs.get(file.sourceJobId);
      if (job === null || job.accountId !== account.id)
        throw new EarshotError('wrong_file_type', `Expected a file that a job made but ${fileId} was uploaded`, {
          details: { id: fileId },
        });
      const { tool, result } = job;
      const fields = Object.entries(job.inputs).flatMap(([field, ids]) => ids.map((id) => [field, id] as const));
      const found = await files.getMany([...fields.map(([, id]) => id), ...job.outputFileIds]);
      const byId = new Map(found.flatMap((each) => (each === null ? [] : [[each.id, each] as const])));
      const inputs: Record<string, StoredFile[]> = {};
      for (const [field, id] of fields) {
        const input = byId.get(id);
        if (input === undefined || result === null)
          throw new EarshotError('file_expired', `What ${fileId} was made of is no longer known`, {
            details: { id: fileId },
            nextAction: 'Run the tool again.',
          });
        (inputs[field] ??= []).push(input);
      }
      const outputs = job.outputFileIds.flatMap((id) => byId.get(id) ?? []);
      return { file, origin: { tool, result: result ?? {}, inputs, outputs } };
    },
  };
}
