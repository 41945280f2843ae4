import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { packageVersion } from '../../library/core/start/package-version.ts';
import {
  type ArchiveWriter,
  checkArchive,
  nextBackup,
  readArchive,
  writeArchive,
} from '../adapters/disk/backup-archive.ts';
import { restoreTables, type Snapshot, withSnapshot } from '../adapters/postgres/database/table-rows.ts';
import { startEmbeddedPostgres } from '../adapters/postgres/embedded/embedded.ts';
import type { ObjectStore } from '../rules/files/object-store.ts';
import type { Config } from '../rules/settings/config.ts';
import { createLog } from './log.ts';
import { createObjects } from './objects.ts';
import { externalDatabase } from './service-data.ts';

/** Of archives that this release writes and reads. */
const format = 1;

/** What is in a back-up. */
export interface BackupSummary {
  /** Rows of all tables together. */
  readonly rows: number;
  /** Files' bytes and waveforms; null: the back-up was made without them. */
  readonly objects: number | null;
  /** Keys of objects that were deleted while the back-up was made, as files are at their time. */
  readonly gone: readonly string[];
  /** Bytes of the archive. */
  readonly sizeBytes: number;
}

interface Manifest {
  readonly format: number;
  readonly version: string;
  readonly createdAt: string;
  readonly migrations: readonly string[];
  readonly withFiles: boolean;
}

/** Works on the service's database by its owner, which is started for that time where no service runs. */
async function onDatabase<Answer>(config: Config, work: (ownerUrl: string) => Promise<Answer>): Promise<Answer> {
  const external = externalDatabase(config);
  if (external !== null) return await work(external.ownerUrl ?? external.url);
  const server = await startEmbeddedPostgres({
    dataDir: join(config.data, 'postgres'),
    log: createLog('error', 'launcher'),
  });
  try {
    return await work(server.ownerUrl ?? server.url);
  } finally {
    if (!server.reused) await server.stop({ unlessUsed: true });
  }
}

/**
 * Writes all records as they are at one moment, and the bytes of the files that they name, into one archive. The
 * service goes on meanwhile.
 * @param path of the archive, which must be new
 * @throws EarshotError conflict, bad_request; whatever the database, the store or the disk throws
 */
export async function makeBackup(config: Config, path: string, withFiles: boolean): Promise<BackupSummary> {
  // It would be made there, empty.
  if (externalDatabase(config) === null && !existsSync(join(config.data, 'postgres')))
    throw new EarshotError('bad_request', `Expected the data folder of a service but there is none at ${config.data}`, {
      nextAction: 'Give --data or DATABASE_URL of the service.',
    });
  const objects = withFiles ? await createObjects(config) : null;
  const spool = await mkdtemp(join(dirname(resolve(path)), '.earshot-backup-'));
  let rows = 0;
  let kept = 0;
  const gone: string[] = [];
  try {
    const sizeBytes = await writeArchive(path, async (archive) => {
      const keys = await onDatabase(config, (ownerUrl) =>
        withSnapshot(ownerUrl, async (snapshot) => {
          const { migrations } = snapshot;
          const manifest: Manifest = {
            format,
            version: packageVersion(),
            createdAt: new Date().toISOString(),
            migrations,
            withFiles,
          };
          const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
          await archive.add('manifest.json', text.length, [text]);
          for (const table of snapshot.tables) rows += await addTable(archive, snapshot, table, join(spool, 'rows'));
          return await snapshot.objectKeys();
        }),
      );
      if (objects !== null)
        for (const key of keys)
          if (await addObject(archive, objects, key)) kept += 1;
          else gone.push(key);
    });
    return { rows, objects: withFiles ? kept : null, gone, sizeBytes };
  } finally {
    await rm(spool, { recursive: true, force: true });
  }
}

/** A member's size comes before its bytes, so a table goes through a file. */
async function addTable(archive: ArchiveWriter, snapshot: Snapshot, table: string, path: string): Promise<number> {
  let rows = 0;
  async function* lines(): AsyncGenerator<string, void> {
    for await (const row of snapshot.rows(table)) {
      rows += 1;
      yield `${row}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path, { mode: 0o600 }));
  await archive.add(`database/${table}.jsonl`, (await stat(path)).size, createReadStream(path));
  return rows;
}

/** @returns false: it was deleted meanwhile */
async function addObject(archive: ArchiveWriter, objects: ObjectStore, key: string): Promise<boolean> {
  const found = await objects.stat(key);
  if (found === null) return false;
  try {
    const bytes: AsyncIterable<Uint8Array> = await objects.read(key);
    await archive.add(`objects/${key}`, found.sizeBytes, bytes);
    return true;
  } catch (thrown) {
    if (thrown instanceof EarshotError && thrown.code === 'not_found') return false;
    throw thrown;
  }
}

/**
 * Brings a back-up into a new database and a store: first the files, then all records or none. The queue is made anew
 * at the next start, and jobs that ran go on.
 * @throws EarshotError file_invalid when the archive is damaged; conflict when the database is not new
 */
export async function restoreBackup(config: Config, path: string): Promise<Omit<BackupSummary, 'gone'>> {
  const manifest = readManifest(await checkArchive(path), path);
  const objects = manifest.withFiles ? await createObjects(config) : null;
  let [rows, kept] = [0, 0];
  await onDatabase(config, (ownerUrl) =>
    restoreTables(
      ownerUrl,
      {
        migrations: manifest.migrations,
        async *tables() {
          for await (const { name, source } of readArchive(path)) {
            const table = /^database\/(\w+)\.jsonl$/.exec(name)?.[1];
            if (table !== undefined)
              yield {
                table,
                rows: counted(createInterface({ input: source, crlfDelay: Infinity }), () => (rows += 1)),
              };
          }
        },
      },
      async () => {
        if (objects === null) return;
        for await (const { name, bytes, source } of readArchive(path)) {
          if (!name.startsWith('objects/')) continue;
          const key = name.slice('objects/'.length);
          if ((await objects.stat(key))?.sizeBytes !== bytes)
            await objects.write(key, source, { maxBytes: bytes, exactBytes: bytes });
          kept += 1;
        }
      },
    ),
  );
  return { rows, objects: objects === null ? null : kept, sizeBytes: (await stat(path)).size };
}

async function* counted(lines: AsyncIterable<string>, count: () => void): AsyncGenerator<string, void> {
  for await (const line of lines) {
    count();
    yield line;
  }
}

function readManifest(found: unknown, path: string): Manifest {
  const manifest = found as Partial<Manifest> | null;
  if (manifest?.format !== format || !areNames(manifest.migrations))
    throw new EarshotError(
      'file_invalid',
      `Expected a back-up of format ${format} but ${path} ` +
        (manifest?.format === format
          ? 'does not say its tables'
          : manifest?.format === undefined
            ? 'has no manifest of one'
            : `is of format ${manifest.format}`),
      nextBackup,
    );
  return manifest as Manifest;
}

const areNames = (given: unknown): boolean =>
  Array.isArray(given) && given.length > 0 && given.every((one) => typeof one === 'string');
