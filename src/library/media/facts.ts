/** The result of `probe`. All fields are always present; null means that the file does not state the value. */
export interface MediaFacts {
  /** As given to `probe`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Container by its usual extension: wav, mp3, m4a, mp4, mov, mkv, webm, ... */
  readonly format: string;
  /** Length of the longest stream, seconds. */
  readonly durationSeconds: number | null;
  /** All streams together, bits per second. */
  readonly bitRateBps: number | null;
  /** Is there an audio stream? */
  readonly hasAudio: boolean;
  /** True for moving pictures; cover art is not video. */
  readonly hasVideo: boolean;
  /** The stream that tools work on. */
  readonly audio: AudioStreamFacts | null;
  readonly video: VideoStreamFacts | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly cover: CoverFacts | null;
  readonly chapters: readonly Chapter[];
  readonly streams: readonly StreamFacts[];
}

/** Common to all streams of a file. */
export interface StreamFacts {
  readonly index: number;
  readonly type: 'audio' | 'video' | 'cover' | 'subtitle' | 'data' | 'attachment' | 'unknown';
  /** FFmpeg's name of the codec, such as "aac"; of data, the container's name for it, such as "gpmd". */
  readonly codec: string;
  /** From the stream's tag, usually ISO 639-2 ("deu"); null without one. */
  readonly language: string | null;
  /** Can its sound be worked on, or its picture be encoded anew? Other streams are copied, or left out and named. */
  readonly decodable: boolean;
  /** Of sound: its number from 1, by which a run chooses it (`track`); null: no sound. */
  readonly track: number | null;
  /** Start of the stream on the file's clock; null when the file does not state it. */
  readonly startSeconds: number | null;
  /** null when the file does not state it. */
  readonly durationSeconds: number | null;
  /** Bits per second; null when the file does not state it. */
  readonly bitRateBps: number | null;
}

/** An audio stream. */
export interface AudioStreamFacts extends StreamFacts {
  /** Frames per second. */
  readonly sampleRate: number;
  readonly channels: number;
  /** FFmpeg's layout name, such as "stereo" or "5.1(side)". */
  readonly layout: string;
  /** Bits of a sample, of PCM and lossless codecs; null for lossy ones. */
  readonly bitsPerSample: number | null;
}

/** A stream of moving pictures. */
export interface VideoStreamFacts extends StreamFacts {
  /** Pixels as stored, before rotation. */
  readonly width: number;
  readonly height: number;
  /** Average frames per second; null when the file does not state it. */
  readonly frameRate: number | null;
  /** Clockwise rotation by a player: usually 0, 90, 180 or 270. */
  readonly rotationDegrees: number;
  /** FFmpeg's name, such as "yuv420p"; null when the file does not state it. */
  readonly pixelFormat: string | null;
  /** Are pictures stored as two fields, by the stream's header? */
  readonly interlaced: boolean;
  /** Of the first picture: "01:00:00:00", with a semicolon before the frames where numbers are left out; null: none. */
  readonly timecode: string | null;
}

/** Cover art; its size in pixels. */
export interface CoverFacts {
  /** FFmpeg's name of the picture's codec, such as "mjpeg". */
  readonly codec: string;
  readonly width: number;
  readonly height: number;
}

/** A titled section of the file. */
export interface Chapter {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Empty when the file has none. */
  readonly title: string;
}
