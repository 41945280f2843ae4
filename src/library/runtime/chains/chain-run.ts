// How a chain is run, and what it made.
import type { JsonObject } from '../../core/json.ts';
import type { OnProgress, Warning } from '../../core/progress/progress.ts';
import type { OutputFile } from '../files/work-folder.ts';

/** How a chain is run: where its results go, who is told, and what may end it. */
export interface ChainOptions {
  /** Path of the sound; further results go beside it, with its name. Default: names in `outputDir`. */
  readonly output?: string;
  /** Folder for the results: `<first file>.<chain>.<extension>`. Default: that of the first file. */
  readonly outputDir?: string;
  /** Of the names of results in `outputDir`, without extension. Default: `<first file>.<chain>`. */
  readonly baseName?: string;
  /**
   * Extension of the resulting sound: wav, mp3, m4a, flac, ogg, opus. Default: that of `output`, else as the first
   * file.
   */
  readonly format?: string;
  /** true: replaces existing files. Default: conflict, before the work where names are known by then. */
  readonly overwrite?: boolean;
  /** Folder for files between steps: float sound, 1.4 GB an hour of stereo. Default: the system's temporary folder. */
  readonly tempDir?: string;
  /**
   * Folder in which everything is kept until the chain has ended: after a kill, the same chain over the same files goes
   * on at the step that was interrupted. It stays where the chain was ended by its signal, or by what may pass, as a
   * full disk or a missing model; otherwise it is removed. One run at a time works in it; a further one keeps nothing.
   * Files between steps are in it, too. Default: nothing is kept.
   */
  readonly checkpoint?: string;
  /** What the checkpoint belongs to. Default: the chain with its formats, and path, length and time of each file. */
  readonly identity?: string;
  /** Told before the work, where the chain goes on: the steps that need not be done again. Default: nothing is. */
  readonly onGoOn?: (done: readonly string[]) => void;
  /** Ends the work; partial files are removed. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Gets the progress of the whole, which never falls; `stage` begins with the step's name. Default: none. */
  readonly onProgress?: OnProgress;
  /** Called for each warning as it comes up; the result holds all of them. Default: none. */
  readonly onWarning?: (warning: Warning) => void;
}

/** What a step did. */
export interface ChainedStep {
  /** As the chain calls it. */
  readonly name: string;
  /** The tool's public id. */
  readonly tool: string;
  /** Of each of its runs, in the order of its files: the tool's answer. */
  readonly results: readonly JsonObject[];
  /** Seconds of its inputs that were processed, all runs together. */
  readonly processedSeconds: number;
}

/** A result of a chain. */
export interface ChainOutput extends OutputFile {
  /** The step that wrote it. */
  readonly step: string;
}

/** What a chain made. */
export interface ChainRun {
  /** The chain's name. */
  readonly chain: string;
  /** The sound first, then what was written about it. */
  readonly outputs: readonly ChainOutput[];
  readonly steps: readonly ChainedStep[];
  /** Names of the steps that an earlier run had done, which was interrupted; see `checkpoint`. */
  readonly doneBefore: readonly string[];
  readonly warnings: readonly Warning[];
}
