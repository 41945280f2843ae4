// Which containers hold pictures.

const withTags: readonly string[] = ['mp3', 'wav', 'aiff', 'flac', 'ogg', 'opus', 'mp4', 'mov', 'ipod'];
/** Covers as streams. */
export const coverStreams: readonly string[] = ['matroska', 'asf'];

export const holdsPictures = (muxer: string): boolean => withTags.includes(muxer) || coverStreams.includes(muxer);
