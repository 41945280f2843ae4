import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { EarshotError } from '../../core/errors.ts';
import { createLine } from '../../service/in-line.ts';
import { codeOf, describeWriteFailure } from './failures.ts';
import { createFileSink, drain } from './file-sink.ts';
import { flushFolder, makeFolder, publish } from './folders.ts';
import { toFolderName } from './keys.ts';

export interface PartPlace {
  readonly number: number;
  readonly offsetBytes: number;
  readonly exactBytes: number;
}

const markerName = ({ number, offsetBytes, exactBytes }: PartPlace): string =>
  `part-${number}-${offsetBytes}-${exactBytes}`;

/**
 * An upload in parts is a folder: `bytes`, into which every part is written where it belongs, and an empty marker file
 * for each part that is there and flushed. Completing renames `bytes`, so nothing is copied, and believes the markers
 * alone, so a file with holes is never made.
 * @param root holds one folder per upload
 */
export function createPartUploads(root: string) {
  /** Two bodies must never mix in one place. */
  const inLine = createLine();

  const folderOf = (uploadKey: string): string => join(root, toFolderName(uploadKey));

  /** Markers without bytes are left from a completion that was cut short: they must not vouch for new bytes. */
  const openBytes = async (folder: string): Promise<FileHandle> => {
    const path = join(folder, 'bytes');
    try {
      return await open(path, 'r+');
    } catch (thrown) {
      if (codeOf(thrown) !== 'ENOENT') throw thrown;
    }
    await makeFolder(folder);
    for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
    const handle = await open(path, constants.O_CREAT | constants.O_WRONLY, 0o600);
    await flushFolder(folder);
    return handle;
  };

  const markers = async (
    folder: string,
  ): Promise<
    { readonly name: string; readonly number: number; readonly offsetBytes: number; readonly exactBytes: number }[]
  > => {
    const names = await readdir(folder).catch((thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return [];
      throw thrown;
    });
    return names.flatMap((name) => {
      const [, number, offsetBytes, exactBytes] = /^part-(\d+)-(\d+)-(\d+)$/.exec(name) ?? [];
      return number === undefined
        ? []
        : [{ name, number: Number(number), offsetBytes: Number(offsetBytes), exactBytes: Number(exactBytes) }];
    });
  };

  return {
    folderOf,

    write(uploadKey: string, part: PartPlace, source: Readable, signal: AbortSignal | undefined): Promise<void> {
      const folder = folderOf(uploadKey);
      return inLine(`${folder}/${part.number}`, async () => {
        // In the upload's line: a completion must see either the old part or none.
        const handle = await inLine(folder, async () => {
          const opened = await openBytes(folder);
          for (const marker of await markers(folder))
            if (marker.number === part.number) await rm(join(folder, marker.name), { force: true });
          return opened;
        }).catch((thrown: unknown) => {
          throw describeWriteFailure(thrown);
        });
        const sink = createFileSink(handle, part.offsetBytes);
        try {
          let sizeBytes = 0;
          await drain(
            source,
            (chunk) => {
              sizeBytes += chunk.length;
              // Before it is written: what is too long would run into the next part.
              if (sizeBytes > part.exactBytes) throw wrongSize(part, `more than ${part.exactBytes}`);
              return sink.take(chunk);
            },
            signal,
          );
          if (sizeBytes !== part.exactBytes) throw wrongSize(part, String(sizeBytes));
          await sink.finish();
          await handle.datasync();
          await (await open(join(folder, markerName(part)), 'w', 0o600)).close();
          await flushFolder(folder);
        } catch (thrown) {
          if (codeOf(thrown) === 'ENOENT')
            throw new EarshotError('conflict', 'This upload was stopped', { cause: thrown });
          throw describeWriteFailure(thrown);
        } finally {
          await sink.rest();
          await handle.close();
        }
      });
    },

    /** Renames the bytes to `path`; the same completion again finds them there. */
    complete(uploadKey: string, path: string, totalBytes: number): Promise<{ readonly sizeBytes: number }> {
      const folder = folderOf(uploadKey);
      return inLine(folder, async () => {
        const bytes = await sizeOf(join(folder, 'bytes'));
        if (bytes === null) {
          if ((await sizeOf(path)) === totalBytes) return { sizeBytes: totalBytes };
          throw incomplete(`Expected the parts of ${totalBytes} bytes but none has arrived`);
        }
        const gap = firstGap(await markers(folder), totalBytes);
        if (gap !== null) throw incomplete(`Expected the parts of ${totalBytes} bytes but nothing covers byte ${gap}`);
        if (bytes !== totalBytes) throw incomplete(`Expected ${totalBytes} bytes of parts but received ${bytes}`);
        await publish(join(folder, 'bytes'), path);
        await rm(folder, { recursive: true, force: true });
        return { sizeBytes: totalBytes };
      });
    },

    abort(uploadKey: string): Promise<void> {
      const folder = folderOf(uploadKey);
      // A part that is just being written may put its marker there meanwhile.
      return inLine(folder, () => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    },

    /** Folders of uploads that nothing was written to since. */
    async *stale(olderThan: Date): AsyncGenerator<{ readonly name: string; readonly path: string }> {
      await mkdir(root, { recursive: true });
      for (const name of await readdir(root)) {
        const path = join(root, name);
        const times = await Promise.all(
          [path, join(path, 'bytes')].map((one) =>
            stat(one).then(
              ({ mtimeMs }) => mtimeMs,
              () => 0,
            ),
          ),
        );
        if (Math.max(...times) < olderThan.getTime()) yield { name, path };
      }
    },
  };
}

const wrongSize = (part: PartPlace, received: string): EarshotError =>
  new EarshotError(
    'bad_request',
    `Expected ${part.exactBytes} bytes for part ${part.number} but received ${received}`,
    { details: { field: 'body', expected: part.exactBytes, part: part.number } },
  );

const incomplete = (message: string): EarshotError =>
  new EarshotError('conflict', message, { nextAction: 'Send the missing parts, then complete again.' });

const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    (thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return null;
      throw thrown;
    },
  );

/** The first byte that no part covers, or null. */
function firstGap(parts: readonly PartPlace[], totalBytes: number): number | null {
  let covered = 0;
  for (const { offsetBytes, exactBytes } of [...parts].sort((a, b) => a.offsetBytes - b.offsetBytes)) {
    if (offsetBytes > covered) return covered;
    covered = Math.max(covered, offsetBytes + exactBytes);
  }
  return covered < totalBytes ? covered : null;
}
