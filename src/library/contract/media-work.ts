// The service's orders to the runtime about media, and the facts about files that come back.
import type { FinishedPart } from '../core/progress/finished-parts.ts';
import type { JsonObject } from '../core/json.ts';
import type { Progress, Warning } from '../core/progress/progress.ts';
import type { Refusal } from './tool-facts.ts';
import type { FilesByField, InputFile } from './tool-inputs.ts';
import type { ToolId } from './tool-ids.ts';
import type { TimeRange } from '../core/time-range.ts';
import type { KnownVoice, VoicePrint, VoiceReference } from './voice-print.ts';

/** A track of a media file, and what can be done with it. */
export interface TrackRecord {
  readonly type: 'audio' | 'video' | 'cover' | 'subtitle' | 'data' | 'attachment' | 'unknown';
  /** FFmpeg's name of the codec, such as "aac"; of data, the container's name for it, such as "gpmd". */
  readonly codec: string;
  /** From the track's tag, usually ISO 639-2 ("deu"); null without one. */
  readonly language: string | null;
  /** Can its sound be worked on, or its picture be encoded anew? Other tracks are copied, or left out and named. */
  readonly decodable: boolean;
  /** Of sound: its number from 1, by which a run chooses it (`track`); null: no sound. */
  readonly track: number | null;
}

/** The stored facts about a media file's streams. */
export interface MediaRecord {
  /** FFmpeg's name of the audio codec, such as "aac"; null without audio. */
  readonly codec: string | null;
  /** Audio sample rate, Hz; null without audio. */
  readonly sampleRate: number | null;
  /** Audio channels; null without audio. */
  readonly channels: number | null;
  /** Of the picture, pixels as stored; null without moving pictures. */
  readonly width: number | null;
  /** As `width`: pixels; null without moving pictures. */
  readonly height: number | null;
  /** Of the picture, frames a second on average; null: not stated. Absent without pictures and in earlier records. */
  readonly frameRate?: number | null;
  /** Of the first picture, as "01:00:00:00"; null: none. Absent as `frameRate`. */
  readonly timecode?: string | null;
  /** All tracks, in the order of the file; absent in records of earlier versions. */
  readonly tracks?: readonly TrackRecord[];
}

/** The streams of a media file. */
export interface HeldStreams {
  /** Is there an audio stream? */
  readonly hasAudio: boolean;
  /** True for moving pictures; cover art is not video. */
  readonly hasVideo: boolean;
  /** null without audio. */
  readonly audio: Pick<MediaRecord, 'codec' | 'sampleRate' | 'channels'> | null;
  /** null without moving pictures. */
  readonly video: Pick<MediaRecord, 'width' | 'height' | 'frameRate' | 'timecode'> | null;
  /** All of them, in the order of the file. */
  readonly streams: readonly TrackRecord[];
}

/** What a file contains. */
export interface Carried {
  /** True for moving pictures; cover art is not video. */
  readonly hasVideo: boolean;
  /** Also false for audio that cannot be decoded. */
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

/** A file that a tool made: a file like any other, and possibly the next job's input. */
export interface ToolOutput extends FileFacts {
  /** Absolute, inside the request's `outputDir`. */
  readonly path: string;
  /** Its name without folder. */
  readonly filename: string;
}

/** A file whose form outputs take. */
export interface OutputModel {
  /** The file; it need not be an input of the run. */
  readonly like: InputFile;
  /** Another container by its extension, such as "mp3"; null: the file's own. */
  readonly format: string | null;
}

/** One run of a tool on local files, as the worker orders it. */
export interface ToolRunRequest {
  readonly tool: ToolId;
  /** Id of the job, for traces; default: none. */
  readonly jobId?: string;
  readonly inputs: FilesByField<InputFile>;
  readonly options: JsonObject;
  /**
   * The run's owner: a reused process never sees files of two owners. null: the process is not reused; default null.
   */
  readonly owner?: string | null;
  /** Seconds of the inputs (join: of the result) to process; null: all. */
  readonly windowSeconds: number | null;
  /**
   * 'working': sound without loss, for the next step of a chain; `like`: as that file, in another container by its
   * extension where `format` is not null. Default: as the input.
   */
  readonly form?: 'working' | OutputModel;
  /** Of a tool that writes one result in several: which. Default: all. */
  readonly formats?: readonly string[];
  /** An existing folder, private to this run, removed by the caller. */
  readonly outputDir: string;
  /** Most disk space at a time, at least 1 byte; default: no limit but the disk. */
  readonly maxOutputBytes?: number;
  /** Time limit, above 0; default: that of any run. */
  readonly maxSeconds?: number;
  readonly signal: AbortSignal;
  /** Called at most about ten times a second. */
  readonly onProgress: (progress: Progress) => void;
  /** What an interrupted run of this order had finished; default: nothing. */
  readonly finishedParts?: readonly FinishedPart[];
  /** Called for each part that a later run need not repeat; default: none. */
  readonly onFinishedPart?: (part: FinishedPart) => void;
  /** Called for each finished part of the result, in order (`Tool.live`); default: none. */
  readonly onPartial?: (part: JsonObject) => void;
  /** Voices that the options may name; default: none. */
  readonly knownVoices?: readonly KnownVoice[];
  /** People to be named in this run alone; default: none. */
  readonly voiceReferences?: readonly VoiceReference[];
}

/** A tool's files and its result. */
export interface ToolRunOutcome {
  readonly outputs: readonly ToolOutput[];
  /** The tool's answer, besides files. */
  readonly result: JsonObject;
  /** Seconds of the input that were processed, in the tool's billing measure: main input, sum, or longest. */
  readonly processedSeconds: number;
  readonly warnings: readonly Warning[];
}

/** One level in a file of bins: from `offsetBytes` on, 2 signed bytes per bin, minimum then maximum. */
export interface PeaksLevel {
  readonly perSecond: number;
  readonly count: number;
  readonly offsetBytes: number;
}

/** Contents of a file of bins. */
export interface FilePeaks {
  readonly durationSeconds: number;
  /** Loudest sample, 0 to 1. */
  readonly peak: number;
  readonly levels: readonly PeaksLevel[];
}

/** Each task runs in its own process. */
export interface MediaWork {
  /**
   * @throws EarshotError with the tool's code; internal_error with details.crashed = true when the process died;
   *   AbortError
   */
  run(request: ToolRunRequest): Promise<ToolRunOutcome>;
  /** Checks an uploaded file. Never throws for a bad file. */
  check(
    path: string,
    filename: string,
    contentType: string,
    signal: AbortSignal,
    /** As for a run. */
    owner?: string | null,
  ): Promise<CheckOutcome>;
  /** Writes the bins of all levels, coarsest first, to `outputPath`; null when there is no sound to draw. */
  peaks(path: string, outputPath: string, signal: AbortSignal): Promise<FilePeaks | null>;
  /**
   * The print of the only voice in a recording.
   * @param ranges where that person speaks; null: everywhere
   * @throws EarshotError bad_request, as `makeVoicePrint`; AbortError
   */
  voicePrint(
    path: string,
    filename: string,
    ranges: readonly TimeRange[] | null,
    signal: AbortSignal,
    /** As for a run. */
    owner?: string | null,
  ): Promise<VoicePrint>;
  /** Ends running work and resolves when it has ended. */
  close(): Promise<void>;
}
