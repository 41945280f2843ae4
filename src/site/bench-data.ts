// Data for the script of a tool's page, as JSON in the page.
import type { Strings } from '../service/http/site/strings/en/index.ts';

/** One field of files. */
export interface BenchInput {
  /** Name in the tool's declaration. */
  readonly input: string;
  /** Names of its fields in a form: for files, and for links; null: takes none. */
  readonly name: string;
  readonly linkName: string | null;
  readonly title: string;
  readonly min: number;
  readonly max: number;
  readonly multiple: boolean;
  readonly kind: 'media' | 'text';
  /** Extensions of text files, without the dot. */
  readonly extensions: readonly string[];
  /** Controls of each file, by the option that holds them all; null: none. */
  readonly settings: { readonly option: string; readonly fields: readonly ItemField[] } | null;
}

/** A setting of one file among several. */
export interface ItemField {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly usual: string | number;
  /** null: a number. */
  readonly choices: readonly { readonly value: string; readonly label: string }[] | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
}

export interface NextTool {
  readonly title: string;
  readonly url: string;
}

/** The texts of a tool's page, in its language. */
export type BenchTexts = Strings['bench'];

export interface BenchData {
  readonly slug: string;
  readonly title: string;
  /** The free API's address of the tool. */
  readonly action: string;
  /** The page of a run, to which its id and its token are added. */
  readonly runs: string;
  readonly language: string;
  readonly mostBytes: number;
  readonly inputs: readonly BenchInput[];
  /** Groups of fields of which exactly one is given, by names of inputs and options. */
  readonly exactlyOne: readonly (readonly string[])[];
  /** Codes of errors that may pass by themselves. */
  readonly passing: readonly string[];
  readonly next: readonly NextTool[];
  readonly freeLength: string | null;
  /** The page on which a file is edited by its words. */
  readonly editor: string;
  /** Is the person signed in, so that files are kept with the service? */
  readonly isOwn: boolean;
  readonly t: BenchTexts;
}

/** A run as its status link returns it: the fields of the free API's record that pages show. */
export interface RunRecord {
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  readonly progress: number;
  readonly stage: string;
  readonly estimatedSecondsLeft: number | null;
  readonly outputs: readonly RunOutput[];
  readonly processedSeconds: number | null;
  readonly result: unknown;
  readonly free: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly warnings: readonly { readonly message: string }[];
  readonly statusUrl: string;
  readonly finishUrl?: string;
  readonly finishPriceCredits?: number;
  readonly nextStep?: string;
}

export interface RunOutput {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes: number | null;
  readonly durationSeconds: number | null;
  readonly hasAudio: boolean;
  readonly hasVideo: boolean;
  readonly url: string;
}
