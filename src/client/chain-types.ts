// Made by scripts/write-client-types.ts from openapi.json: edit the schemas, then `npm run client:types`.
import type { ErrorCode, FileRecord, ToolId } from './api-types.ts';

/** A step of a chain. */
export interface ChainStep {
  /** As the chain calls it. */
  readonly name: string;
  /** Identifier of the tool. */
  readonly tool: ToolId;
  /** waiting: for the steps before it. */
  readonly status: 'waiting' | 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** 0 to 1, of all its runs. */
  readonly progress: number;
  /**
   * What the tool measured, a result for each of its runs (a tool that takes one file runs once for each);
   * null as in jobs.
   */
  readonly results: readonly (Readonly<Record<string, unknown>> | null)[];
  /** Seconds that all its runs processed; null until it has succeeded. */
  readonly processedSeconds: number | null;
  /** Its price by what it processed; null until it has succeeded. */
  readonly credits: number | null;
  readonly warnings: readonly {
    /** Code of the warning. */
    readonly code: string;
    /** The warning as text. */
    readonly message: string;
  }[];
  /** What went wrong; null: nothing. */
  readonly error: {
    readonly code: ErrorCode;
    /** What is wrong. */
    readonly message: string;
  } | null;
}

/** Several tools as one, which run, or have run. */
export interface Chain {
  /** Identifier of the chain. */
  readonly id: string;
  /** In the names of its results. */
  readonly name: string;
  /** The recipe that it was made of; null: a preset, or a chain of your own. */
  readonly recipe: string | null;
  /** succeeded, failed and cancelled are final. */
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** 0 to 1, of the whole; never falls. */
  readonly progress: number;
  /** The current step and its stage. */
  readonly stage: string;
  /** Estimate in seconds; null until there is one. */
  readonly estimatedSecondsLeft: number | null;
  readonly steps: readonly ChainStep[];
  /** Its results, the sound first; of a chain that ended early with settle steps: what was made by then. */
  readonly outputs: readonly FileRecord[];
  readonly settle: 'whole' | 'steps';
  /** Credits that are reserved until it ends: the most that it costs. */
  readonly price: number;
  /** Credits that it cost; null until it ends. */
  readonly charged: number | null;
  /** The step at which it failed or was cancelled; null: none. */
  readonly failedStep: string | null;
  /** What went wrong; null: nothing. */
  readonly error: {
    readonly code: ErrorCode;
    /** What is wrong. */
    readonly message: string;
  } | null;
  readonly warnings: readonly {
    /** Code of the warning. */
    readonly code: string;
    /** The warning as text. */
    readonly message: string;
  }[];
  /** Time of creation, ISO 8601. */
  readonly createdAt: string;
}

/** What a chain would cost at most. */
export interface ChainQuote {
  /** Of the chain. */
  readonly name: string;
  /** The most that it costs: the sum of its steps at the length of the files. */
  readonly credits: number;
  readonly steps: readonly {
    /** By which the chain calls it. */
    readonly name: string;
    /** Identifier of the tool. */
    readonly tool: ToolId;
    /** Billed length at most. */
    readonly seconds: number;
    /** Its price at most. */
    readonly credits: number;
  }[];
}

/** A chain that comes with Earshot. */
export interface Recipe {
  /** By which it is run. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** Least count of files. */
  readonly minFiles: number;
  /** Largest count of files. */
  readonly maxFiles: number;
  /** Its choices, by name in lower case. */
  readonly options: Readonly<
    Record<
      string,
      {
        /** What it does, in a few words. */
        readonly description: string;
        /** null: true or false; none: any text. */
        readonly choices: readonly string[] | null;
        /** true: a value for each file, separated by commas; one alone counts for all. */
        readonly perFile: boolean;
        /** What counts where it is not given. */
        readonly default: string | boolean;
      }
    >
  >;
}

/** What a chain is to do: a recipe or a chain of your own, over files. */
export interface ChainRequest {
  /**
   * A chain that comes with Earshot: podcast, audiobook, subtitles; or a preset of the account. At most 40
   * characters.
   */
  readonly recipe?: string | undefined;
  /** Of the recipe; GET /api/v1/chains/recipes lists them. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** A chain of your own, in place of recipe. */
  readonly chain?:
    | {
        /** In the names of results. Default: chain. At most 40 characters. */
        readonly name?: string | undefined;
        /** 1 to 20 items. */
        readonly steps: readonly {
          /** Id or command of a tool: adjust_loudness, loudness. At most 40 characters. */
          readonly tool: string;
          /**
           * By which later steps call it. Default: the command of its tool, numbered where it repeats. At most 40
           * characters.
           */
          readonly name?: string | undefined;
          /**
           * files (those of the chain), files.2 (the second), an earlier step, a list of them, or these by input
           * field. Default: the sound of the step before.
           */
          readonly input?: unknown;
          /** Options of the tool, as in its job. */
          readonly options?: Readonly<Record<string, unknown>> | undefined;
          /** Of a transcript: json, srt, vtt, txt. At least 1 items. */
          readonly formats?: readonly string[] | undefined;
          /** true: its files are results although a later step takes them. */
          readonly keep?: boolean | undefined;
        }[];
      }
    | undefined;
  /** What the chain works on, in order. 1 to 20 items. */
  readonly file_ids: readonly string[];
  /** Of the resulting sound. Default: as the recipe says, or as the first file. */
  readonly format?: 'wav' | 'mp3' | 'm4a' | 'flac' | 'ogg' | 'opus' | undefined;
  /**
   * Of a chain that fails or is cancelled: whole: it gives nothing and costs nothing; steps: it gives what
   * the finished steps made, and costs what they cost. Default: "whole".
   */
  readonly settle?: 'whole' | 'steps' | undefined;
  /** A chain that could cost more does not start. At least 1. */
  readonly max_credits?: number | undefined;
}
