import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { type MachineLack, machineLacks } from '../../../library/core/errors/machine-lacks.ts';
import type { MediaWork } from '../../../library/contract/media-work.ts';
import type { DiskRoom } from './output-estimate.ts';
import type { RunFolders } from './run-folders.ts';

/** Longer than a process takes to start on a machine that does much else. */
const longestMs = 120_000;

const rateHz = 8000;
const soundBytes = rateHz / 5;

/** A tenth of a second of silence: 16 bits, one channel. */
function tinyWav(): Buffer {
  const wav = Buffer.alloc(44 + soundBytes);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + soundBytes, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rateHz, 24);
  wav.writeUInt32LE(2 * rateHz, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(soundBytes, 40);
  return wav;
}

/**
 * Tries what all jobs need: room on the disk, a process, and the media parts, with a tiny recording.
 * @returns a function that does so and says what the machine lacks; null: nothing
 */
export const createProbe =
  ({
    media,
    disk,
    folders,
  }: {
    readonly media: Pick<MediaWork, 'check'>;
    readonly disk: Pick<DiskRoom, 'hasRoom'>;
    readonly folders: Pick<RunFolders, 'make' | 'remove'>;
  }) =>
  async (): Promise<Exclude<MachineLack, 'tool'> | null> => {
    let folder: string | null = null;
    try {
      if (!(await disk.hasRoom())) return 'disk';
      folder = await folders.make();
      const path = join(folder, 'probe.wav');
      await writeFile(path, tinyWav());
      const found = await media.check(path, 'probe.wav', 'audio/wav', AbortSignal.timeout(longestMs));
      return found.ok ? null : 'installation';
    } catch (thrown) {
      if (folder === null) return 'disk';
      const lacks = machineLacks(EarshotError.from(thrown)) ?? 'process';
      return lacks === 'tool' ? 'installation' : lacks;
    } finally {
      if (folder !== null) await folders.remove(folder).catch(() => undefined);
    }
  };
