import type { ToolId } from '../../../library/contract/tool-ids.ts';
import { toolWork } from '../../../library/contract/tool-work.ts';
import type { Config } from '../settings/config.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { StoredJob } from '../jobs/stored-job.ts';

/** CPU seconds per second of 1280 x 720 video, encoded with the slowest encoder. */
const perPictureSecond = 5;
const pictureSize = 1280 * 720;
/** Process start, loading models, and a very short file. */
const startSeconds = 10;
/** A file is read several times, and its video is copied. */
const bytesPerSecond = 20e6;

/** Expected CPU seconds for this many seconds of sound. */
export const expectedCpuSeconds = (tool: ToolId, seconds: number): number => seconds * toolWork[tool].cpuPerSecond;

type Job = Pick<StoredJob, 'tool' | 'windowSeconds'>;
type Input = Pick<StoredFile, 'durationSeconds' | 'media' | 'hasVideo' | 'sizeBytes'>;

/**
 * Time limit of a job in seconds: the expected time on one idle core, times the factor for slow and busy machines, at
 * most the limit of all jobs.
 */
export function mostJobSeconds(
  { tool, windowSeconds }: Job,
  inputs: readonly Input[],
  { jobSeconds, jobTimeFactor }: Pick<Config, 'jobSeconds' | 'jobTimeFactor'>,
): number {
  const needed = inputs.reduce((sum, { durationSeconds, media, hasVideo, sizeBytes }) => {
    // Text files count as 0 s; media of unknown length get the limit of all jobs.
    const length = durationSeconds ?? (media === null ? 0 : Infinity);
    const seconds = Math.min(length, windowSeconds ?? Infinity);
    const channels = Math.max(2, media?.channels ?? 2) / 2;
    const rate = Math.max(48_000, media?.sampleRate ?? 0) / 48_000;
    const { cpuPerSecond, encodesPictures } = toolWork[tool];
    const sound = cpuPerSecond * channels * rate;
    const pixels = (media?.width ?? 0) * (media?.height ?? 0);
    const picture = hasVideo && encodesPictures ? perPictureSecond * Math.max(1, pixels / pictureSize) : 0;
    return sum + seconds * (sound + picture) + (sizeBytes ?? 0) / bytesPerSecond;
  }, startSeconds);
  return Math.min(jobSeconds, jobTimeFactor * needed);
}
