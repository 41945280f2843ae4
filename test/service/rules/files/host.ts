import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
import { createDiskStore } from '../../../../src/service/adapters/disk/object-store.ts';
import { loadConfig, type Config } from '../../../../src/service/rules/settings/config.ts';
import { createFiles } from '../../../../src/service/rules/files/files.ts';
import { createFileTasks } from '../../../../src/service/rules/files/tasks/file-tasks.ts';
import { newId } from '../../../../src/service/rules/shared/ids.ts';
import { createPeaks, type Peaks } from '../../../../src/service/rules/files/peaks.ts';
import type { CheckOutcome, MediaWork } from '../../../../src/library/contract/media-work.ts';
import type { LinkFetcher } from '../../../../src/service/rules/files/links.ts';
import type { ObjectStore } from '../../../../src/service/rules/files/object-store.ts';
import type { FilePeaks } from '../../../../src/library/contract/media-work.ts';
import type { Account } from '../../../../src/service/rules/accounts/account.ts';
import type { Files } from '../../../../src/service/rules/files/file-use-cases.ts';
import { createTokens } from '../../../../src/service/rules/shared/tokens.ts';
import { useDatabases, type TestStores } from '../../../fixtures/service/database.ts';
import { quietLog } from '../../../fixtures/service/quiet-log.ts';

export const sound: CheckOutcome & { ok: true } = {
  ok: true,
  contentType: 'audio/wav',
  format: 'wav',
  durationSeconds: 12.5,
  hasVideo: false,
  hasAudio: true,
  media: { codec: 'pcm_s16le', sampleRate: 48_000, channels: 2, width: null, height: null },
};
const noLinks: LinkFetcher = {
  check: (url) => new URL(url),
  fetch: () => Promise.reject(new Error('not part of this test')),
};

/** Bins that say where they are: level 5 holds (0,0) (1,1) ..., finer ones go on counting. */
const drawn: FilePeaks = {
  durationSeconds: 12.5,
  peak: 0.5,
  levels: [
    { perSecond: 5, count: 63, offsetBytes: 0 },
    { perSecond: 50, count: 625, offsetBytes: 126 },
    { perSecond: 500, count: 6250, offsetBytes: 1376 },
  ],
};
export const bins = Buffer.from(Array.from({ length: 2 * (63 + 625 + 6250) }, (_, at) => Math.floor(at / 2) % 128));

export interface FilesHost {
  readonly files: Files;
  readonly peaks: Peaks;
  readonly tasks: ReturnType<typeof createFileTasks>;
  readonly objects: ObjectStore;
  readonly stores: TestStores;
  readonly config: Config;
  readonly folder: string;
  account(): Promise<Account>;
  /** Every file in the data folder, by path. */
  onDisk(): string[];
  /** Moves the service's clock. */
  passSeconds(seconds: number): void;
}

export interface FilesHostOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly links?: LinkFetcher;
  readonly media?: Partial<MediaWork>;
  /** Default: a folder. */
  readonly objects?: ObjectStore;
}

/** Call at the top of a test file. */
export function useFilesHosts(): {
  /** On one database for the whole file. */
  open(options?: FilesHostOptions): Promise<FilesHost>;
  /** With a queue and a database of its own. */
  openAlone(options?: FilesHostOptions): Promise<FilesHost>;
} {
  const databases = useDatabases();
  let shared: TestStores;
  beforeAll(async () => {
    shared = await databases.freshStores();
  });
  return {
    open: (options) => createFilesHost(shared, options),
    openAlone: async (options) => await createFilesHost(await databases.freshStores(), options),
  };
}

/** The use cases on a real database and a real folder; media work answers what the test says. */
export async function createFilesHost(stores: TestStores, options: FilesHostOptions = {}): Promise<FilesHost> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = loadConfig({ EARSHOT_DATA: folder, ...options.env });
  const objects = options.objects ?? createDiskStore(join(folder, 'objects'));
  const { links = noLinks } = options;
  let shiftMs = 0;
  const now = (): Date => new Date(Date.now() + shiftMs);
  const media = {
    check: () => Promise.resolve(sound),
    async peaks(_path: string, outputPath: string) {
      await writeFile(outputPath, bins);
      return drawn;
    },
    ...options.media,
  };
  const parts = { files: stores.files, objects, links, changes: stores.changes, config, now };
  return {
    files: createFiles({
      ...parts,
      tokens: await createTokens(stores.tokenKeys),
      baseUrl: () => 'https://earshot.example',
    }),
    peaks: createPeaks(parts),
    tasks: createFileTasks({ files: stores.files, objects, links, media, config, log: quietLog, now }),
    objects,
    stores,
    config,
    folder,
    account: () => stores.accounts.create({ id: newId('acc'), name: 'test', oauthSubject: null }),
    onDisk: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath.slice(folder.length + 1), entry.name)),
    passSeconds: (seconds) => void (shiftMs += seconds * 1000),
  };
}

/** The token in an upload or download address. */
export const tokenOf = (url: string | undefined): string => new URL(url ?? '').pathname.split('/')[2] ?? '';

export const never = new AbortController().signal;
