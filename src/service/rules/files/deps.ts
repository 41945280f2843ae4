import type { Config } from '../config.ts';
import type { Changes, FileStore, LinkFetcher, ObjectStore } from '../ports.ts';
import type { Tokens } from '../tokens.ts';

/** Dependencies of the use cases of files. */
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
  /** The service's public address, without a trailing slash. Known once it listens. */
  readonly baseUrl: () => string;
  readonly now?: () => Date;
}
