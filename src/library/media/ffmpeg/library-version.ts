import { getFFmpegInfo } from 'node-av/lib';

/** The version of FFmpeg's libraries, as they name it: "8.0". */
export const libraryVersion = (): string => getFFmpegInfo().version;
