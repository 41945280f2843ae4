// Made by scripts/write-client-types.ts from openapi.json: edit the schemas, then `npm run client:types`.

/** Identifier of a tool. */
export type ToolId =
  | 'remove_noise'
  | 'enhance_voice'
  | 'transcribe_audio'
  | 'align_script'
  | 'cut_audio'
  | 'remove_silence'
  | 'adjust_loudness'
  | 'convert_audio'
  | 'join_audio'
  | 'replace_audio'
  | 'analyze_audio'
  | 'remove_fillers'
  | 'level_speakers'
  | 'mix_tracks';

/** What went wrong, as the service says it. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'idempotency_key_reused'
  | 'insufficient_balance'
  | 'over_spending_cap'
  | 'free_limit_reached'
  | 'free_budget_exhausted'
  | 'free_disabled'
  | 'file_not_ready'
  | 'file_invalid'
  | 'file_expired'
  | 'file_too_large'
  | 'file_too_long'
  | 'unsupported_format'
  | 'wrong_file_type'
  | 'text_too_long'
  | 'no_audio'
  | 'ranges_outside'
  | 'fetch_failed'
  | 'limit_exceeded'
  | 'upload_limit_reached'
  | 'rate_limited'
  | 'job_not_cancellable'
  | 'tool_unavailable'
  | 'build_mismatch'
  | 'internal_error';

/** A file of the account: an upload, or an output of a job. */
export interface FileRecord {
  /** Identifier of the file. */
  readonly id: string;
  /** original (an upload) or output (a result). */
  readonly kind: 'original' | 'output';
  /** processing: being checked; ready: can be used; invalid: see error. */
  readonly status: 'awaiting_upload' | 'processing' | 'ready' | 'invalid' | 'deleted';
  /** Name with extension. */
  readonly filename: string;
  /** Media type, from the upload or from the check. */
  readonly contentType: string;
  /** Bytes; null until they have arrived. */
  readonly sizeBytes: number | null;
  /** Length; null until the file is checked, and for text files. */
  readonly durationSeconds: number | null;
  /** Container, such as wav or mp4; null until the file is checked. */
  readonly format: string | null;
  /** Does it have a video stream? */
  readonly hasVideo: boolean;
  /** False for a video without sound; only replace_audio accepts such a file. */
  readonly hasAudio: boolean;
  /** Filled once the file is checked; null for text files. */
  readonly media: {
    /** Audio codec; null without sound. */
    readonly codec: string | null;
    /** Hz; null without sound. */
    readonly sampleRate: number | null;
    /** Audio channels; null without sound. */
    readonly channels: number | null;
    /** Pixels; null without video. */
    readonly width: number | null;
    /** Pixels; null without video. */
    readonly height: number | null;
    /** All tracks, in the order of the file; absent where they are not known. */
    readonly tracks?: readonly {
      readonly type: 'audio' | 'video' | 'cover' | 'subtitle' | 'data' | 'attachment' | 'unknown';
      /** FFmpeg name of the codec; of data, the name in the container, such as gpmd. */
      readonly codec: string;
      /** ISO 639-2, such as deu; null where the file states none. */
      readonly language: string | null;
      /** Can it be worked on? Others are copied, or left out and named. */
      readonly decodable: boolean;
      /** Of sound: its number from 1, as the option track takes it. */
      readonly track: number | null;
    }[];
  } | null;
  /** What went wrong; null: nothing. */
  readonly error: {
    readonly code: ErrorCode;
    /** What is wrong. */
    readonly message: string;
  } | null;
  /** Credits by tool for this file; null until its length is known. */
  readonly prices: Readonly<Record<ToolId, number>> | null;
  /** The job that made this output; null for uploads. */
  readonly sourceJobId: string | null;
  /** Time of creation, ISO 8601. */
  readonly createdAt: string;
  /** When the file is deleted, ISO 8601. */
  readonly expiresAt: string;
}

/** Where to send a file in one PUT. */
export interface Upload {
  readonly method: 'PUT';
  /** Where to PUT the bytes. */
  readonly url: string;
  /** Headers that the PUT must carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** When the link expires, ISO 8601. */
  readonly expiresAt: string;
}

/** Where to send a file in parts. */
export interface MultipartUpload {
  /** Every part has this size except the last. */
  readonly partSizeBytes: number;
  /** Number of parts. */
  readonly partCount: number;
  /** PUT target; {n} is replaced by the part number counting from 1. */
  readonly partUrl: string;
  /** POST here once all parts are in. */
  readonly completeUrl: string;
  /** When the link expires, ISO 8601. */
  readonly expiresAt: string;
}

/** A new file, and how its bytes get there. */
export interface CreatedFile {
  readonly file: FileRecord;
  /** Upload in one PUT; null above 16 MB, and until the file is named. */
  readonly upload: Upload | null;
  /** Multipart upload; null for smaller files, and until the file is named. */
  readonly multipart: MultipartUpload | null;
  /** A page where a person can upload the file. */
  readonly uploadPageUrl: string;
}

/** A link to the bytes of a file; it works without credentials. */
export interface DownloadLink {
  /** Identifier of the file. */
  readonly fileId: string;
  /** Name of the download. */
  readonly filename: string;
  /** Link to the bytes. */
  readonly url: string;
  /** When the link expires, ISO 8601. */
  readonly expiresAt: string;
}

/** What a job would cost. */
export interface Quote {
  /** Identifier of the tool. */
  readonly tool: ToolId;
  /** Billed length, rounded to the nearest second. */
  readonly seconds: number;
  /** Price to process all of it. */
  readonly credits: number;
  readonly free: {
    /** How much a free run processes. */
    readonly seconds: number;
    /** Free uses left today. */
    readonly usesLeftToday: number;
  };
}

/** A tool that runs, or has run. */
export interface Job {
  /** Identifier of the job. */
  readonly id: string;
  /** Identifier of the tool. */
  readonly tool: ToolId;
  /** succeeded, failed and cancelled are final. */
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** 0 to 1. */
  readonly progress: number;
  /** Current stage, a short word. */
  readonly stage: string;
  /** Estimate in seconds; null until there is one. */
  readonly estimatedSecondsLeft: number | null;
  /** Files that the job made. */
  readonly outputs: readonly FileRecord[];
  /** Seconds of the input that were processed; null until known. */
  readonly processedSeconds: number | null;
  /**
   * The tool's result, the same object as in the library and on the command line; null until the job
   * succeeds, after the retention time, and in lists if it is longer than 32 KiB.
   */
  readonly result: Readonly<Record<string, unknown>> | null;
  /** Whether only the free part ran. */
  readonly free: boolean;
  /** Names the whole-file job of a free run, once paid; null: none. */
  readonly finishedBy: string | null;
  /** What went wrong; null: nothing. */
  readonly error: {
    readonly code: ErrorCode;
    /** What is wrong. */
    readonly message: string;
  } | null;
  /** Warnings of a successful job: its file was truncated, its target was not reached, ... */
  readonly warnings: readonly {
    /** Code of the warning, such as truncated. */
    readonly code: string;
    /** The warning as text. */
    readonly message: string;
  }[];
  /** Time of creation, ISO 8601. */
  readonly createdAt: string;
}

/** Balance, prices and limits. */
export interface Account {
  /** Credits, including those reserved by jobs. */
  readonly balance: number;
  /** The balance in US cents (1 credit = 1 US cent). */
  readonly balanceCents: number;
  /** The balance without the credits reserved by jobs, in US cents. */
  readonly availableCents: number;
  /** Free uses left today. */
  readonly freeUsesLeft: Readonly<Record<ToolId, number>>;
  /** Credits per minute. */
  readonly prices: Readonly<Record<ToolId, number>>;
  /** Limits of the account, by name with unit. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Something that changed the balance. */
export interface LedgerEntry {
  /** Identifier of the entry. */
  readonly id: string;
  /** Reason of the entry; only a charge has a job. */
  readonly kind: 'grant' | 'purchase' | 'adjustment' | 'charge';
  /** Signed change of the balance. */
  readonly credits: number;
  /** Balance in credits after it. */
  readonly balance: number;
  /** The job of a charge; null for other entries. */
  readonly jobId: string | null;
  /** The payment of a purchase, of its refunds and disputes; null for other entries. */
  readonly paymentId: string | null;
  /** The dispute of that payment by the provider's id, or by the payment's where that is unknown; null: none. */
  readonly disputeId: string | null;
  /** When it was posted, ISO 8601. */
  readonly createdAt: string;
}

/** How the balance refills itself; null where nothing is set. */
export interface AutoRefill {
  /** Is auto-refill switched on? */
  readonly enabled: boolean;
  /** Refills below this balance, at least 0 US cents; null: not set. */
  readonly thresholdCents: number | null;
  /** Amount of one refill, at least 0 US cents; null: not set. */
  readonly amountCents: number | null;
  /** Most that is added in one month, at least 0 US cents; null: not set. */
  readonly monthlyCapCents: number | null;
  /** The card to charge; null: none. */
  readonly card: {
    /** Such as visa. */
    readonly brand: string;
    /** Last four digits. */
    readonly last4: string;
  } | null;
}

/** A tool with its price, its free allowance and its input. */
export interface ToolDescriptor {
  /** Identifier of the tool. */
  readonly id: ToolId;
  /** Name of the tool, for display. */
  readonly title: string;
  /** The free API path segment: /api/try/<slug>. */
  readonly slug: string;
  /** What it does. */
  readonly description: string;
  /** Price per minute; 1 credit = 1 US cent. */
  readonly creditsPerMinute: number;
  readonly free: {
    /** Is there a free tier for this tool? */
    readonly enabled: boolean;
    /** Seconds of a file that a free run processes; null means the whole file. */
    readonly seconds: number | null;
    /** Free uses per day per person; resets at midnight UTC. */
    readonly dailyUses: number;
  };
  /** The tool's input as JSON Schema, as POST /api/v1/jobs takes it. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The waveform of a file, for drawing. */
export interface Peaks {
  /** Identifier of the file. */
  readonly fileId: string;
  /** none: no sound to draw. */
  readonly status: 'processing' | 'ready' | 'none';
  /** Length of the decoded sound; null until ready. */
  readonly durationSeconds: number | null;
  /** Loudest sample, 0 to 1; null until ready. */
  readonly peak: number | null;
  /** Levels that can be requested. */
  readonly levels: readonly {
    /** Bins per second. */
    readonly perSecond: number;
    /** Bins in all. */
    readonly count: number;
  }[];
  /** The requested window; null without level, and until ready. */
  readonly bins: {
    /** Bins per second. */
    readonly level: number;
    /** Index of the first bin, from 0. */
    readonly first: number;
    /** Number of bins. */
    readonly count: number;
    /** Base64 of count pairs of signed bytes, minimum then maximum. */
    readonly data: string;
  } | null;
}

/** A window of a transcript. */
export interface Transcript {
  /** Identifier of the file. */
  readonly fileId: string;
  /** Language code, such as en. */
  readonly language: string;
  /** Start of the window. */
  readonly fromSeconds: number;
  /** End of the window. */
  readonly toSeconds: number;
  /** Length of the whole transcript. */
  readonly durationSeconds: number;
  /** Speakers in the whole transcript; null without speaker labels. */
  readonly speakerCount: number | null;
  /** full: with words. */
  readonly detail: 'concise' | 'full';
  readonly sentences: readonly {
    /** Start of the sentence. */
    readonly startSeconds: number;
    /** End of the sentence. */
    readonly endSeconds: number;
    /** Words of the sentence. */
    readonly text: string;
    /** From 1, in the order in which people first speak; null without speaker labels. */
    readonly speaker: number | null;
    /** For full detail. */
    readonly words?: readonly {
      /** The word as it is written. */
      readonly text: string;
      /** Start of the word. */
      readonly startSeconds: number;
      /** End of the word. */
      readonly endSeconds: number;
      /** From 1, in the order in which people first speak. */
      readonly speaker?: number;
      /** In an aligned script, false: the word was not found in the recording. */
      readonly matched?: boolean;
    }[];
  }[];
  /** What else is heard in the window, where the transcript was made with sound_events. */
  readonly events?: readonly {
    /** Start of the sound. */
    readonly startSeconds: number;
    /** End of the sound. */
    readonly endSeconds: number;
    /** Such as music, applause or dog. */
    readonly sound: string;
    /** How sure, from 0 to 1. */
    readonly score: number;
  }[];
  /** Where to continue reading; null at the end. */
  readonly nextFromSeconds: number | null;
}

/** Links with which parts go straight to the object store; none where all go through the service. */
export interface PartLinks {
  /** One for each part that was asked for, or none. */
  readonly links: readonly {
    /** Number of the part, counting from 1. */
    readonly part: number;
    readonly method: 'PUT';
    /** PUT target of this part. */
    readonly url: string;
    /** When the link expires, ISO 8601. */
    readonly expiresAt: string;
  }[];
}

/** Inputs of what costs. */
export interface JobInputs {
  /** A job that would cost more does not start. At least 1. */
  readonly max_credits?: number | undefined;
  /**
   * true: only the free part, never paid. false: the whole file, paid, or nothing. Default: paid if the
   * balance covers it, else free.
   */
  readonly free?: boolean | undefined;
}

/** Inputs of what can be tried on a passage. */
export interface PassageInputs extends JobInputs {
  /**
   * Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud. 0
   * to 36000.
   */
  readonly preview_from?: number | undefined;
}

/**
 * Inputs of analyze_audio. Measures a recording: format, loudness (EBU R 128), true peak, noise floor,
 * silent stretches and the ACX audiobook checks.
 */
export interface AnalyzeAudioInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** concise lists up to 50 silent stretches, full lists all. Default: "concise". */
  readonly detail?: 'concise' | 'full' | undefined;
}

/**
 * Inputs of adjust_loudness. Brings a recording to the loudness of a target with one gain and limited true
 * peaks, or makes it pass the ACX audiobook checks. custom_lufs is needed with target custom, and only
 * then.
 */
export interface AdjustLoudnessInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /**
   * podcast -16 LUFS, streaming -14, broadcast -23, audiobook (ACX checks), custom (custom_lufs). Default:
   * "podcast".
   */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'audiobook' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. -30 to -5. */
  readonly custom_lufs?: number | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of convert_audio. Converts the sound of an audio or video file to MP3, WAV, M4A, FLAC, OGG or
 * Opus. bitrate_kbps only with format mp3, m4a, ogg, opus.
 */
export interface ConvertAudioInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Format of the output. Default: "mp3". */
  readonly format?: 'mp3' | 'wav' | 'm4a' | 'flac' | 'ogg' | 'opus' | undefined;
  /** For mp3, m4a, ogg and opus, in kbit/s; default chosen by the format. 16 to 320. */
  readonly bitrate_kbps?: number | undefined;
  /** In Hz; default the input's. */
  readonly sample_rate?: 8000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000 | undefined;
  /** Default the input's. */
  readonly channels?: 'mono' | 'stereo' | undefined;
  /** Lower the level where peaks lie above full scale, so that none is clipped. Default: false. */
  readonly fit_peaks?: boolean | undefined;
  /** Turn a channel over that is the opposite of another, so that they do not cancel in mono. Default: false. */
  readonly fix_phase?: boolean | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of cut_audio. Removes stretches of a recording, or keeps only them, exact to the sample. A video
 * is cut with its picture.
 */
export interface CutAudioInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Stretches as [start, end] in seconds, in any order, each value 0 to 36000. 1 to 100 items. */
  readonly ranges: readonly (readonly [number, number])[];
  /** remove the ranges, or keep only them. Default: "remove". */
  readonly mode?: 'remove' | 'keep' | undefined;
  /** joined into one file, or separate: one file per range that stays. Default: "joined". */
  readonly output?: 'joined' | 'separate' | undefined;
  /** Crossfade at each seam of a joined output, in ms. 0 to 200. Default: 20. */
  readonly crossfade_ms?: number | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of remove_silence. Shortens the pauses of a recording without touching a word, and keeps the room
 * tone between. A video is cut with its picture.
 */
export interface RemoveSilenceInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Pauses at least this long are shortened. 0.3 to 5. Default: 0.7. */
  readonly min_pause_seconds?: number | undefined;
  /** How much of each pause stays. 0 to 1. Default: 0.25. */
  readonly keep_seconds?: number | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of join_audio. Joins 2 to 20 recordings in order, whatever their formats, rates and channels.
 * Videos are joined as a video when all files are videos and the output format is same.
 */
export interface JoinAudioInputs extends JobInputs {
  /** Audio or video files, in order. 2 to 20 items. */
  readonly file_ids: readonly string[];
  /** How long each file overlaps the next, in ms. 0 to 5000. Default: 0. */
  readonly crossfade_ms?: number | undefined;
  /** Bring the files to the same integrated loudness first. Default: true. */
  readonly match_loudness?: boolean | undefined;
  /** Where no file has chapters, make each a chapter with its title, or its name. Default: true. */
  readonly title_chapters?: boolean | undefined;
  /** same is the format of the first file. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of replace_audio. Replaces a video's sound. The picture, subtitles, chapters and metadata are
 * copied untouched.
 */
export interface ReplaceAudioInputs extends JobInputs {
  /** Video with its picture. */
  readonly video_file_id: string;
  /** New sound, audio or video file. */
  readonly audio_file_id: string;
  /** Moves the sound against the picture: positive later, negative earlier. -36000 to 36000. Default: 0. */
  readonly offset_seconds?: number | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of level_speakers. Makes all speakers of a conversation equally loud, in one recording or on
 * tracks of one speaker each, and brings the result to a loudness target. Give exactly one of file_id and
 * track_file_ids. custom_lufs is needed with target custom, and only then.
 */
export interface LevelSpeakersInputs extends PassageInputs {
  /** One recording with everyone. */
  readonly file_id?: string | undefined;
  /** Tracks of one speaker each, all starting at the same time. 2 to 10 items. */
  readonly track_file_ids?: readonly string[] | undefined;
  /** podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs). Default: "podcast". */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. -30 to -5. */
  readonly custom_lufs?: number | undefined;
  /** same keeps each input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of mix_tracks. Mixes voices, music and effects into one file at a loudness target, with music
 * lowered under voice when wanted. custom_lufs is needed with target custom, and only then.
 */
export interface MixTracksInputs extends JobInputs {
  /** Tracks, all starting at the same time. 2 to 20 items. */
  readonly tracks: readonly {
    /** Identifier of the file. */
    readonly file_id: string;
    /** What the track is; music falls under voice when duck is true. Default: "voice". */
    readonly role?: 'voice' | 'music' | 'effects' | undefined;
    /**
     * Gain of the track, dB, before the mix's own. Voices have one loudness at first: here is how far one lies
     * above or under the others. -60 to 20. Default: 0.
     */
    readonly volume_db?: number | undefined;
  }[];
  /**
   * Lowers music while someone speaks on a voice track: by 12 dB, or more where less than 10 LU would lie
   * between them. Default: false.
   */
  readonly duck?: boolean | undefined;
  /** podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs). Default: "podcast". */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. -30 to -5. */
  readonly custom_lufs?: number | undefined;
  /** same keeps the first track's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of remove_noise. Takes background noise and rumble away from speech and keeps the voice, its
 * place in the stereo image and its timing.
 */
export interface RemoveNoiseInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /**
   * Percent of the noise that is turned down: 100 removes what can be removed, 50 halves it (-6 dB), 90
   * leaves a tenth (-20 dB). 10 to 100. Default: 100.
   */
  readonly noise_reduction?: number | undefined;
  /** Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP. Default: true. */
  readonly auto_volume?: boolean | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /**
   * voice keeps voices, and music without one; steady takes away only what is always there, such as hiss and
   * fans, and keeps birds, a crowd, footsteps; not for music. Default: "voice".
   */
  readonly method?: 'voice' | 'steady' | undefined;
  /** Level of voices, dB from where they were. -24 to 12. Default: 0. */
  readonly voice_db?: number | undefined;
  /**
   * Level of noise, ambience and reverberation, dB from where it was; 0 takes nothing away. Default: as
   * noise_reduction says. -60 to 0.
   */
  readonly room_db?: number | undefined;
  /** Level of music in passages without a voice, dB from where it was. -60 to 12. Default: 0. */
  readonly music_db?: number | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of enhance_voice. Makes a voice from a poor recording sound closer and clearer: takes noise and
 * reverberation away, restores missing highs, and evens out tone, hisses and level. Recordings at 8 or 16
 * kHz whose highs were restored come out at 48 kHz.
 */
export interface EnhanceVoiceInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Share of the regenerated voice in percent; lower mixes back the original sound. 10 to 100. Default: 100. */
  readonly noise_reduction?: number | undefined;
  /**
   * Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP; speakers are not balanced.
   * Default: true.
   */
  readonly auto_volume?: boolean | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of transcribe_audio. Writes down what is said, with the time of every word and who said it: as
 * JSON, as SubRip and WebVTT subtitles, and as plain text.
 */
export interface TranscribeAudioInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Code of the language that is spoken; default detected. */
  readonly language?: string | undefined;
  /** Keep fillers such as um and uh. Default: true. */
  readonly verbatim?: boolean | undefined;
  /** Number the speakers in the order of their first words, up to 8 people, no names. Default: true. */
  readonly speaker_labels?: boolean | undefined;
  /** Write in English what is said in another language. Default: false. */
  readonly translate?: boolean | undefined;
  /** Names and terms that may be said, as written, up to 8 words each. 1 to 500 items. */
  readonly vocabulary?: readonly string[] | undefined;
  /** How many people speak, where that is known. 1 to 8. */
  readonly speakers?: number | undefined;
  /** How many people speak at least. 1 to 8. */
  readonly min_speakers?: number | undefined;
  /** How many people speak at most. 1 to 8. */
  readonly max_speakers?: number | undefined;
  /** Each speaker has a channel: two microphones, or the ends of a call. Default: false. */
  readonly speaker_channels?: boolean | undefined;
  /** Further files: ass (styled captions), ttml (EBU-TT-D), docx, rttm (who speaks when). 1 to 4 items. */
  readonly captions?: readonly ('ass' | 'ttml' | 'docx' | 'rttm')[] | undefined;
  /** Whom captions are for, by length of lines and speed; shorts: a few words at a time. Default: "standard". */
  readonly caption_profile?: 'standard' | 'broadcast' | 'youtube' | 'shorts' | undefined;
  /** The time of each word in VTT and ASS. Default: false. */
  readonly karaoke?: boolean | undefined;
  /** Also tell music, applause, sirens, ringing, thunder and animals. Default: false. */
  readonly sound_events?: boolean | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of align_script. Finds when each word of a script is spoken in a recording. Give exactly one of
 * text and script_file_id.
 */
export interface AlignScriptInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** The script as a TXT, SRT or VTT file. Either this or text. */
  readonly script_file_id?: string | undefined;
  /** The script: plain text, SRT or VTT. Either this or script_file_id. 1 to 2097152 characters. */
  readonly text?: string | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of remove_fillers. Cuts um, uh and repeated words out of a recording, and leaves every other
 * word, breaths and room tone as they were. A video is cut with its picture. The transcript of the result
 * comes along. cut_ids needs transcript_file_id.
 */
export interface RemoveFillersInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** A verbatim transcript of this recording; without it the recording is transcribed. */
  readonly transcript_file_id?: string | undefined;
  /** List the cuts with their ids and make no audio. Default: false. */
  readonly dry_run?: boolean | undefined;
  /**
   * Ids of the cuts to make, from a dry run of the same transcript; needs transcript_file_id. Default: every
   * cut. 1 to 5000 items.
   */
  readonly cut_ids?: readonly string[] | undefined;
  /**
   * Also cut a word or phrase of up to 3 words that is said twice in a row, keeping the second. Default:
   * true.
   */
  readonly repeats?: boolean | undefined;
  /** Breaths between words; lower is by 15 dB. Default: "keep". */
  readonly breaths?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /** Clicks of lips and tongue in pauses; lower is by 15 dB. Default: "keep". */
  readonly mouth_clicks?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /** Coughs between words; lower is by 15 dB. Default: "keep". */
  readonly coughs?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /**
   * The first sound of a word said again before it (h-h-here), and words that break off (wh- what); lower is
   * by 15 dB. Default: "keep".
   */
  readonly stutters?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /**
   * Code of the language whose fillers are looked for: en, de, fr, es, it, nl, pt, pl, ja, ko; default
   * detected.
   */
  readonly language?: string | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/** Inputs by tool. */
export interface InputsByTool {
  readonly analyze_audio: AnalyzeAudioInputs;
  readonly adjust_loudness: AdjustLoudnessInputs;
  readonly convert_audio: ConvertAudioInputs;
  readonly cut_audio: CutAudioInputs;
  readonly remove_silence: RemoveSilenceInputs;
  readonly join_audio: JoinAudioInputs;
  readonly replace_audio: ReplaceAudioInputs;
  readonly level_speakers: LevelSpeakersInputs;
  readonly mix_tracks: MixTracksInputs;
  readonly remove_noise: RemoveNoiseInputs;
  readonly enhance_voice: EnhanceVoiceInputs;
  readonly transcribe_audio: TranscribeAudioInputs;
  readonly align_script: AlignScriptInputs;
  readonly remove_fillers: RemoveFillersInputs;
}
