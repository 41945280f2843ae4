import { statfs } from 'node:fs/promises';
import type { StoredFile, StoredJob } from '../records.ts';

/** What is written beside the sound: reports, transcripts, covers, containers. */
const restBytes = 32 * 2 ** 20;
/** Two channels at the highest rate of any lossy format that we write (512 kbit/s), and a little. */
const lossyBytesPerSecond = 70_000;
const lossyFormats = new Set<unknown>(['mp3', 'm4a', 'aac', 'ogg', 'opus', 'wma']);
/** These write texts alone. */
const withoutSound = new Set<string>(['analyze_audio', 'transcribe_audio', 'align_script']);

type Job = Pick<StoredJob, 'tool' | 'options' | 'windowSeconds'>;
type Input = Pick<StoredFile, 'durationSeconds' | 'media' | 'hasVideo' | 'sizeBytes'>;

/**
 * Bytes that a job's outputs take at most, from what its check found of its inputs: sound as 32-bit PCM at its own rate
 * (at least 48 kHz stereo) unless a lossy format is asked for, pictures at twice the input. 67 kB of FLAC can be 553 MB
 * of WAV: the size of an input says nothing.
 */
export function estimateOutputBytes(job: Job, inputs: readonly Input[]): number {
  if (withoutSound.has(job.tool)) return restBytes;
  return bytesOf(job, inputs, lossyFormats.has(job.options['format']));
}

/** The same with what is set aside meanwhile, which is PCM whatever the output is. */
export const estimateWorkBytes = (job: Job, inputs: readonly Input[]): number => bytesOf(job, inputs, false);

function bytesOf({ windowSeconds }: Job, inputs: readonly Input[], lossy: boolean): number {
  return inputs.reduce((sum, { durationSeconds, media, hasVideo, sizeBytes }) => {
    const seconds = Math.min(durationSeconds ?? 0, windowSeconds ?? Infinity);
    const channels = Math.max(2, media?.channels ?? 2);
    const perSecond = lossy
      ? (lossyBytesPerSecond * channels) / 2
      : Math.max(48_000, media?.sampleRate ?? 0) * 4 * channels;
    return sum + Math.ceil(seconds * perSecond) + (hasVideo ? 2 * (sizeBytes ?? 0) : 0);
  }, restBytes);
}

/** Room on the service's disk, held by the runs that will write there. */
export interface DiskRoom {
  /** null: there is not that much left besides what others hold; else what gives it back. */
  hold(bytes: number): Promise<(() => void) | null>;
}

/** Left for the database and for uploads. */
const spareBytes = 256 * 2 ** 20;

/** @param free bytes that may be written below the folder; default: asked of the file system */
export function createDiskRoom(folder: string, free: () => Promise<number> = () => freeBytes(folder)): DiskRoom {
  let held = 0;
  return {
    async hold(bytes) {
      // What others have written by now counts twice: better too little than too much.
      const left = await free();
      if (left - held - bytes < spareBytes) return null;
      held += bytes;
      let given = false;
      return () => {
        if (given) return;
        given = true;
        held -= bytes;
      };
    },
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
