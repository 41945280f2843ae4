import { statfs } from 'node:fs/promises';
import { toolWork } from '../../../library/contract/tool-work.ts';
import type { ToolFacts } from '../../../library/contract/tool-facts.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { StoredJob } from '../jobs/stored-job.ts';

/** Everything besides the audio: reports, transcripts, covers, containers. */
const restBytes = 32 * 2 ** 20;
/** Two channels at the highest bit rate of our lossy formats (512 kbit/s), and a margin. */
const lossyBytesPerSecond = 70_000;
const lossyFormats = new Set<unknown>(['mp3', 'm4a', 'aac', 'ogg', 'opus', 'wma']);

/**
 * Of pictures that are all encoded again, for each pixel of a picture and second, besides twice the input: moving
 * noise came to 1.3 where the input had .9, a fractal to .65 and .55 (1280 x 720, 25 a second).
 */
const bytesPerPixelSecond = 1;

type Job = Pick<StoredJob, 'tool' | 'options' | 'windowSeconds'>;
type Input = Pick<StoredFile, 'durationSeconds' | 'media' | 'hasVideo' | 'sizeBytes'>;

/**
 * Largest size of a job's outputs, in bytes: 32-bit PCM at the input's sample rate (at least 48 kHz stereo) unless a
 * lossy format is requested, and twice the input for video. Based on the length, not the size: 67 kB of FLAC can be 553
 * MB of WAV.
 */
export function estimateOutputBytes(
  { writesText }: Pick<ToolFacts, 'writesText'>,
  job: Job,
  inputs: readonly Input[],
): number {
  if (writesText === true) return restBytes;
  return bytesOf(job, inputs, lossyFormats.has(job.options['format']));
}

/** The same for temporary files, which are PCM for any output format. */
export const estimateWorkBytes = (job: Job, inputs: readonly Input[]): number => bytesOf(job, inputs, false);

function bytesOf({ tool, windowSeconds }: Job, inputs: readonly Input[], lossy: boolean): number {
  const isDrawn = toolWork[tool].encodesPictures === 'all';
  return inputs.reduce((sum, { durationSeconds, media, hasVideo, sizeBytes }) => {
    const seconds = Math.min(durationSeconds ?? 0, windowSeconds ?? Infinity);
    const channels = Math.max(2, media?.channels ?? 2);
    const perSecond = lossy
      ? (lossyBytesPerSecond * channels) / 2
      : Math.max(48_000, media?.sampleRate ?? 0) * 4 * channels;
    const drawn = isDrawn && hasVideo ? (media?.width ?? 0) * (media?.height ?? 0) * bytesPerPixelSecond : 0;
    return sum + Math.ceil(seconds * (perSecond + drawn)) + (hasVideo ? 2 * (sizeBytes ?? 0) : 0);
  }, restBytes);
}

/** Reservations of disk space for running jobs. */
export interface DiskRoom {
  /** Returns a function that releases the reservation; null: not enough free space. */
  reserve(bytes: number): Promise<(() => void) | null>;
  /** Is there space for a small job, were it alone? */
  hasRoom(): Promise<boolean>;
}

/** A job that has no room here waits for so long before a machine looks at it again. */
export const noRoomPauseSeconds = 15;

/** Kept free for the database and for uploads. */
const spareBytes = 256 * 2 ** 20;

/** @param free free bytes in the folder; default: from the file system */
export function createDiskRoom(folder: string, free: () => Promise<number> = () => freeBytes(folder)): DiskRoom {
  let held = 0;
  return {
    async reserve(bytes) {
      // Bytes that running jobs have already written count twice, which errs on the safe side.
      const left = await free();
      if (left - held - bytes < spareBytes) return null;
      held += bytes;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        held -= bytes;
      };
    },
    hasRoom: async () => (await free()) >= spareBytes + restBytes,
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
