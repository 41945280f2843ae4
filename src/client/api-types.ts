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
  | 'mix_tracks'
  | 'check_audio'
  | 'align_recordings'
  | 'burn_captions'
  | 'redact_audio'
  | 'change_speed'
  | 'label_audio';

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
