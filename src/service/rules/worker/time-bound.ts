import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Config } from '../config.ts';
import type { StoredFile, StoredJob } from '../records.ts';

/** Seconds of one core for a second of stereo at 48 kHz, measured with some room (docs/operating.md). */
const usual = 0.1;
const perSecond: Readonly<Partial<Record<ToolId, number>>> = {
  remove_noise: 0.25,
  enhance_voice: 0.3,
  level_speakers: 0.3,
  // By the largest recogniser that can be installed; the one in the house takes a quarter.
  transcribe_audio: 1,
  align_script: 1,
  remove_fillers: 1,
};
/** Seconds of one core for a second of 1280 x 720, where it is encoded again by the slowest of the encoders. */
const perPictureSecond = 5;
const pictureSize = 1280 * 720;
/** These may have to encode a picture again; the others copy it or take none. */
const encodePictures: ReadonlySet<ToolId> = new Set(['cut_audio', 'remove_silence', 'remove_fillers', 'join_audio']);
/** Start of a process, models, and what the shortest file costs. */
const startSeconds = 10;
/** A file is read several times, and its picture copied. */
const bytesPerSecond = 20e6;

type Job = Pick<StoredJob, 'tool' | 'windowSeconds'>;
type Input = Pick<StoredFile, 'durationSeconds' | 'media' | 'hasVideo' | 'sizeBytes'>;

/**
 * Seconds that a job may take before it is ended: what it takes on one quiet core, by the lengths of its files, times the
 * factor for slow and busy machines, and never more than the bound for all jobs.
 */
export function mostJobSeconds(
  { tool, windowSeconds }: Job,
  inputs: readonly Input[],
  { jobSeconds, jobTimeFactor }: Pick<Config, 'jobSeconds' | 'jobTimeFactor'>,
): number {
  const needed = inputs.reduce((sum, { durationSeconds, media, hasVideo, sizeBytes }) => {
    // Texts are short. Of media without a length nobody knows.
    const length = durationSeconds ?? (media === null ? 0 : Infinity);
    const seconds = Math.min(length, windowSeconds ?? Infinity);
    const channels = Math.max(2, media?.channels ?? 2) / 2;
    const rate = Math.max(48_000, media?.sampleRate ?? 0) / 48_000;
    const sound = (perSecond[tool] ?? usual) * channels * rate;
    const pixels = (media?.width ?? 0) * (media?.height ?? 0);
    const picture = hasVideo && encodePictures.has(tool) ? perPictureSecond * Math.max(1, pixels / pictureSize) : 0;
    return sum + seconds * (sound + picture) + (sizeBytes ?? 0) / bytesPerSecond;
  }, startSeconds);
  return Math.min(jobSeconds, jobTimeFactor * needed);
}
