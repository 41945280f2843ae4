// Work on media that the service orders and the runtime does, and the facts of files that come back.
import type { JsonObject } from '../core/json.ts';
import type { Progress, Warning } from '../core/progress.ts';
import type { Refusal } from './tool-facts.ts';
import type { FilesByField } from './tool-inputs.ts';
import type { ToolId } from './tool-ids.ts';

/** What is remembered of a media file's streams. */
export interface MediaRecord {
  /** FFmpeg's name of the sound's codec, such as "aac"; null without sound. */
  readonly codec: string | null;
  /** Frames of sound per second, Hz; null without sound. */
  readonly sampleRate: number | null;
  /** Of the sound; null without sound. */
  readonly channels: number | null;
  /** Of the picture, pixels as stored; null without moving pictures. */
  readonly width: number | null;
  /** As `width`: pixels; null without moving pictures. */
  readonly height: number | null;
}

/** What a media file that was opened holds; the facts of a probe fit. */
export interface HeldStreams {
  /** Is there a stream of sound? */
  readonly hasAudio: boolean;
  /** True for moving pictures; cover art is no video. */
  readonly hasVideo: boolean;
  /** The sound; null without any. */
  readonly audio: Pick<MediaRecord, 'codec' | 'sampleRate' | 'channels'> | null;
  /** The moving picture; null without one. */
  readonly video: Pick<MediaRecord, 'width' | 'height'> | null;
}

/** What a file turned out to carry. */
export interface Carried {
  /** True for moving pictures; cover art is no video. */
  readonly hasVideo: boolean;
  /** false also for sound that cannot be decoded. */
  readonly hasAudio: boolean;
  /** null for text. */
  readonly media: MediaRecord | null;
}

/** What a file is, by its content. */
export interface FileFacts extends Carried {
  /** MIME type, such as "audio/wav". */
  readonly contentType: string;
  /** Container, such as "wav"; for text "json", "srt". */
  readonly format: string;
  /** null for text. */
  readonly durationSeconds: number | null;
}

/** What an uploaded file is, or why it cannot be used. */
export type CheckOutcome = ({ readonly ok: true } & FileFacts) | { readonly ok: false; readonly error: Refusal };

/** One file that a tool made: a file like any other, and perhaps the next job's input. */
export interface ToolOutput extends FileFacts {
  /** Absolute, inside the request's `outputDir`. */
  readonly path: string;
  /** Its name without folder. */
  readonly filename: string;
}

/** One run of a tool on local files, as the worker asks for it. */
export interface ToolRunRequest {
  readonly tool: ToolId;
  readonly inputs: FilesByField<{
    /** Absolute; only read. */
    readonly path: string;
    /** The name that people gave the file, without folder. */
    readonly filename: string;
  }>;
  readonly options: JsonObject;
  /** Whose run it is: a process that is used again never sees files of two owners. null: nobody's; default null. */
  readonly owner?: string | null;
  /** Only this much of the inputs (join: of the result) is processed; null: all. */
  readonly windowSeconds: number | null;
  /** Exists, private to this run, removed by the caller. */
  readonly outputDir: string;
  /** What it may have on the disk at a time, at least 1; default: no limit but the disk. */
  readonly maxOutputBytes?: number;
  /** Time that it may take, above 0; default: what any run may. */
  readonly maxSeconds?: number;
  readonly signal: AbortSignal;
  /** Called at most about ten times a second. */
  readonly onProgress: (progress: Progress) => void;
}

/** What the tool made and what it answered. */
export interface ToolRunOutcome {
  readonly outputs: readonly ToolOutput[];
  /** What the tool answers besides files. */
  readonly result: JsonObject;
  /** Seconds of the input that were processed, in the tool's billing measure: main input, sum, or longest. */
  readonly processedSeconds: number;
  readonly warnings: readonly Warning[];
}

/**
 * One of the levels in a file of bins: they begin at `offsetBytes` there, 2 signed bytes each, minimum then maximum.
 */
export interface PeaksLevel {
  readonly perSecond: number;
  readonly count: number;
  readonly offsetBytes: number;
}

/** What a file of bins holds. */
export interface FilePeaks {
  readonly durationSeconds: number;
  /** Loudest sample, 0 to 1. */
  readonly peak: number;
  readonly levels: readonly PeaksLevel[];
}

/** Each piece of it in a process of its own. */
export interface MediaWork {
  /**
   * @throws EarshotError with the tool's code; internal_error with details.crashed = true when the process died;
   * AbortError
   */
  run(request: ToolRunRequest): Promise<ToolRunOutcome>;
  /** Looks at an uploaded file. Never throws for a bad file. */
  check(
    path: string,
    filename: string,
    contentType: string,
    signal: AbortSignal,
    /** As of a run. */
    owner?: string | null,
  ): Promise<CheckOutcome>;
  /** Writes the bins of all levels, coarsest first, to `outputPath`; null when there is no sound to draw. */
  peaks(path: string, outputPath: string, signal: AbortSignal): Promise<FilePeaks | null>;
  /** Ends what runs and resolves when all of it is gone. */
  close(): Promise<void>;
}
