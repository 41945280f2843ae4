import type { Config } from '../config.ts';
import type { Changes, FileStore, LinkFetcher, ObjectStore } from '../ports.ts';
import type { Tokens } from '../tokens.ts';

/** What the use cases around files are made from. */
export interface FilesDeps {
  readonly files: FileStore;
  readonly objects: ObjectStore;
  readonly links: LinkFetcher;
  readonly changes: Changes;
  readonly tokens: Tokens;
  readonly config: Pick<
    Config,
    | 'maxFileBytes'
    | 'singlePutBytes'
    | 'partBytes'
    | 'uploadSeconds'
    | 'retentionSeconds'
    | 'downloadSeconds'
    | 'accountUploads'
    | 'accountBytes'
    | 'diskReserveBytes'
    | 'accountFiles'
    | 'accountJobs'
  >;
  /** Where clients reach the service, without a slash at its end. Known only once it listens. */
  readonly baseUrl: () => string;
  readonly now?: () => Date;
}
