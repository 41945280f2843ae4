import type { Config } from '../settings/config.ts';
import type { Changes } from '../shared/wait-for.ts';
import type { FileStore } from './file-store.ts';
import type { LinkFetcher } from './links.ts';
import type { ObjectStore } from './object-store.ts';
import type { Tokens } from '../shared/tokens.ts';

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
