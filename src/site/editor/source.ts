// Where a recording, its words and the state of its edit are: with the service, or on this device.
import type { PackedHistory } from '../../library/speech/word-edit/packed-history.ts';
import type { WordEdit } from '../../library/speech/word-edit/word-edit.ts';
import type { GivenTranscript } from './doc.ts';
import type { PeakStore } from './peak-store.ts';

/** How a run of a tool goes on. */
export interface RunState {
  /** 0 to 1. */
  readonly share: number;
  readonly secondsLeft: number | null;
}

/** A tool that is running; it is stopped by the signal. */
export interface Running {
  readonly signal: AbortSignal;
  onState(state: RunState): void;
}

/** What went wrong, as people read it. */
export class Failure extends Error {
  readonly code: string;
  readonly help: string | null;
  readonly link: { readonly url: string; readonly name: string } | null;
  constructor(code: string, message: string, help: string | null = null, link: Failure['link'] = null) {
    super(message);
    this.code = code;
    this.help = help;
    this.link = link;
  }
}

/** A stored state with the version to save on. */
export interface StoredState {
  readonly edit: WordEdit;
  /** The steps that lead to it; null: not known. */
  readonly history: PackedHistory | null;
  readonly version: number;
  readonly transcript: string | null;
}

/** An edit by a name. */
export interface NamedVersion {
  readonly id: string;
  readonly name: string;
  /** Of what is left. */
  readonly seconds: number;
  /** ISO 8601 time. */
  readonly savedAt: string;
}

/** How long a recording is kept with all that was made of it. */
export interface Project {
  /** ISO 8601 time. */
  readonly keptUntil: string;
  readonly bytes: number;
  readonly accountBytes: number;
  readonly mostBytes: number;
  /** After the last change. */
  readonly days: number;
}

/** Edits by a name, beside the one that goes on. All throw a Failure. */
export interface Versions {
  /** The earliest first. Project: null on a device. */
  list(): Promise<{ readonly versions: readonly NamedVersion[]; readonly project: Project | null }>;
  /** Keeps what is saved. @param version of it */
  add(name: string, seconds: number, version: number): Promise<void>;
  /** words: null where it is of the words that are shown. */
  get(id: string): Promise<{ readonly edit: WordEdit; readonly words: GivenTranscript | null }>;
  remove(id: string): Promise<void>;
  /** Deletes the recording and all that was made of it. null: not here. */
  readonly removeAll: (() => Promise<void>) | null;
}

/** A link by which others read the text. */
export interface ShareLink {
  readonly id: string;
  readonly url: string;
  /** Of the edit as it was. */
  readonly seconds: number;
  readonly hasSound: boolean;
  /** ISO 8601 times. */
  readonly madeAt: string;
  readonly expiresAt: string;
  /** The earliest first. */
  readonly comments: readonly {
    readonly id: string;
    readonly name: string;
    readonly text: string;
    /** The sentence. */
    readonly about: string;
    /** Where it is in the recording, seconds. */
    readonly source: number;
  }[];
}

/** What a link is made from. */
export interface NewShare {
  readonly title: string;
  readonly language: string;
  readonly seconds: number;
  readonly soundFileId: string | null;
  readonly days: number;
  readonly sentences: readonly (readonly [at: number, source: number, who: string | null, text: string])[];
}

/** Links by which others read the text. All throw a Failure. */
export interface Shares {
  /** The latest first. */
  list(): Promise<readonly ShareLink[]>;
  add(share: NewShare): Promise<void>;
  remove(id: string): Promise<void>;
  removeComment(id: string): Promise<void>;
}

/** What `save` found. */
export type Saved =
  | { readonly state: 'saved'; readonly version: number }
  /** Another tab has saved meanwhile. */
  | { readonly state: 'changed'; readonly stored: StoredState }
  | { readonly state: 'ended' }
  | { readonly state: 'lost' };

/** A file that was rendered. */
export interface Rendered {
  readonly url: string;
  readonly filename: string;
  readonly bytes: number | null;
  /** Only this much of the recording was processed, where that is not all; otherwise null. */
  readonly onlySeconds: number | null;
  readonly finishUrl: string | null;
  /** Its file of the account, and what was removed or kept: seconds. Absent: it is of no account. */
  readonly of?: { readonly fileId: string; readonly ranges: unknown };
}

/** What of a recording a timeline keeps. */
export interface TimelineKeeps {
  /** Seconds. */
  readonly ranges: readonly (readonly [number, number])[];
  /** What it says besides, in words. */
  readonly ignored: readonly string[];
}

/** What to render. */
export interface RenderOrder {
  /** Stretches that are removed, or kept, seconds. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly mode: 'remove' | 'keep';
  /** Of what is kept: as recorded, or as given. */
  readonly order: 'recorded' | 'given';
  readonly crossfadeMs: number;
  /** Only the free part. */
  readonly free: boolean;
}

export interface Source {
  readonly name: string;
  /** Length of the recording in frames of its sampling rate. */
  readonly frames: number;
  readonly sampleRate: number;
  readonly channels: number;
  readonly hasVideo: boolean;
  readonly bytes: number;
  /** For the player. */
  readonly url: string;
  /** Is it kept with the service? */
  readonly isKept: boolean;
  /** null: it cannot be drawn here. */
  peaks(): Promise<PeakStore | null>;
  /** Bytes of the file, or a range of them, last one included. */
  read(range?: readonly [first: number, last: number]): Promise<ArrayBuffer>;
  /** null: there is none yet. */
  transcript(): Promise<GivenTranscript | null>;
  /** Another transcript of it. Absent: there is none. */
  readonly otherWords?: (id: string) => Promise<GivenTranscript>;
  transcribe(running: Running): Promise<GivenTranscript>;
  align(script: string, running: Running): Promise<GivenTranscript>;
  /** As it was when the page was opened. */
  stored(): Promise<StoredState | null>;
  /** As it is now. */
  fresh(): Promise<StoredState | null>;
  save(edit: WordEdit, history: PackedHistory, version: number): Promise<Saved>;
  readonly versions: Versions;
  /** Absent: what is on a device cannot be shared. */
  readonly shares?: Shares;
  /** What an edited timeline keeps of the recording. Absent: it cannot be read here. */
  readonly readTimeline?: (text: string) => Promise<TimelineKeeps>;
  render(order: RenderOrder, running: Running): Promise<Rendered>;
  /** What was started before the page was opened, here or on another device: it is gone on with. */
  readonly begun: {
    readonly text: ((running: Running) => Promise<GivenTranscript>) | null;
    readonly render: ((running: Running) => Promise<Rendered>) | null;
    /** Of a rendering that has ended, what it removes: seconds; null: of one that runs. */
    readonly rendered: unknown;
  };
}
