// What the server tells the script of the editor, as JSON in the page.
import type { Strings } from '../service/http/site/strings/en/index.ts';

/** A tool that the editor uses. */
export interface EditorTool {
  /** Why it cannot run here; null: it can. */
  readonly unavailable: string | null;
  /** Seconds of a file that a free run processes; null: all of it. */
  readonly freeSeconds: number | null;
  /** The same in words. */
  readonly freeLength: string | null;
  /** Credits for the whole file; null: not known. */
  readonly price: number | null;
}

/** The pictures of a recording. */
export interface EditorPicture {
  readonly width: number;
  readonly height: number;
  /** null: not known, as of files of an earlier version. */
  readonly frameRate: number | null;
  /** Of the first one; null: none. */
  readonly timecode: string | null;
}

/** A recording of the account. */
export interface EditorFile {
  readonly id: string;
  readonly name: string;
  readonly seconds: number;
  readonly sampleRate: number;
  readonly channels: number;
  readonly bytes: number;
  /** Container, such as wav. */
  readonly format: string | null;
  readonly hasVideo: boolean;
  /** null: no pictures. */
  readonly picture: EditorPicture | null;
  readonly transcriptFileId: string | null;
  /** Transcripts in other languages. */
  readonly translations: readonly { readonly transcriptFileId: string; readonly language: string }[];
  readonly edit: {
    readonly version: number;
    /** ISO 8601 time. */
    readonly savedAt: string;
    readonly transcriptFileId: string | null;
    readonly state: unknown;
    readonly history: unknown;
  } | null;
  /** Jobs of an earlier visit, or of another device, to go on with: their ids; null: none. */
  readonly jobs: {
    readonly text: string | null;
    readonly render: { readonly id: string; readonly hasEnded: boolean; readonly ranges: unknown } | null;
  };
}

export interface EditorData {
  readonly language: string;
  /** Of one request to the free API; signed in: of a file. */
  readonly mostBytes: number;
  readonly addresses: {
    readonly editor: string;
    readonly api: string;
    /** Of the free API; null: there are no free runs. */
    readonly tries: string | null;
    readonly credits: string;
    readonly signIn: string;
    /** Of the script that sends files to an account. */
    readonly upload: string;
    /** Of the script that writes texts. */
    readonly written: string;
    /** Of the script that writes timelines. */
    readonly timelines: string;
  };
  readonly tools: { readonly transcribe: EditorTool; readonly align: EditorTool; readonly cut: EditorTool };
  /** null: a file of this device. */
  readonly file: EditorFile | null;
  /** Credits that can be spent; null: not signed in. */
  readonly available: number | null;
  readonly t: Strings['editor'];
  readonly errors: Strings['errors'];
  readonly units: Strings['units'];
}
