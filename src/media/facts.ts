/** What `probe` says of a file. All fields are always present; null means that the file does not say. */
export interface MediaFacts {
  readonly path: string;
  readonly sizeBytes: number;
  /** Container by its usual extension: wav, mp3, m4a, mp4, mov, mkv, webm, ... */
  readonly format: string;
  /** Length of the longest stream, seconds. */
  readonly durationSeconds: number | null;
  /** All streams together, bits per second. */
  readonly bitRateBps: number | null;
  readonly hasAudio: boolean;
  /** True for moving pictures; cover art is no video. */
  readonly hasVideo: boolean;
  /** The stream that tools work on. */
  readonly audio: AudioStreamFacts | null;
  readonly video: VideoStreamFacts | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly cover: CoverFacts | null;
  readonly chapters: readonly Chapter[];
  readonly streams: readonly StreamFacts[];
}

export interface StreamFacts {
  readonly index: number;
  readonly type: 'audio' | 'video' | 'cover' | 'subtitle' | 'data' | 'attachment' | 'unknown';
  readonly codec: string;
  readonly language: string | null;
  readonly startSeconds: number | null;
  readonly durationSeconds: number | null;
  readonly bitRateBps: number | null;
}

export interface AudioStreamFacts extends StreamFacts {
  /** Frames per second. */
  readonly sampleRate: number;
  readonly channels: number;
  /** FFmpeg's layout name, such as "stereo" or "5.1(side)". */
  readonly layout: string;
  /** Of PCM and lossless codecs; null for lossy ones. */
  readonly bitsPerSample: number | null;
}

export interface VideoStreamFacts extends StreamFacts {
  /** Pixels as stored, before rotation. */
  readonly width: number;
  readonly height: number;
  /** Average frames per second. */
  readonly frameRate: number | null;
  /** How far a player turns the picture clockwise: 0, 90, 180 or 270 as a rule. */
  readonly rotationDegrees: number;
  readonly pixelFormat: string | null;
}

export interface CoverFacts {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
}

export interface Chapter {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly title: string;
}
