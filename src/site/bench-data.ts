// Data for the script of a tool's page, as JSON in the page.
import type { Measured } from './loudness.ts';
import type { Peaks } from './peaks.ts';
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
  readonly kind: 'media' | 'text' | 'picture';
  /** Extensions of text files, without the dot. */
  readonly extensions: readonly string[];
  /** Controls of each file, by the option that holds them all; null: none. */
  readonly settings: { readonly option: string; readonly fields: readonly ItemField[] } | null;
  /** In a job, its files are objects with their id under this name; null: ids alone. */
  readonly itemKey: string | null;
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

/** A tool to use next on a result. */
export interface NextTool {
  readonly title: string;
  readonly url: string;
}

/** The texts of a tool's page, in its language. */
export type BenchTexts = Strings['bench'];

export interface BenchData {
  readonly slug: string;
  /** Does it write a transcript of its input as JSON? */
  readonly transcribes: boolean;
  readonly title: string;
  /** The free API's address of the tool. */
  readonly action: string;
  /** The page of the tool. */
  readonly page: string;
  /** The page of a run, to which its id and its token are added. */
  readonly runs: string;
  readonly language: string;
  /** Of a request to the free API; signed in: of a file. */
  readonly mostBytes: number;
  readonly inputs: readonly BenchInput[];
  /** Groups of fields of which exactly one is given, by names of inputs and options. */
  readonly exactlyOne: readonly (readonly string[])[];
  /** Codes of errors that may pass by themselves. */
  readonly passing: readonly string[];
  readonly next: readonly NextTool[];
  readonly freeLength: string | null;
  /** Free uses of the tool: left today, of all of a day; null: there are none here. */
  readonly uses: { readonly left: number; readonly all: number } | null;
  /** Addresses of the scripts that look at results, and that record. */
  readonly analyse: string;
  readonly record: string;
  /** Address of the script that shows what is chosen before a run; null: none. */
  readonly look: string | null;
  /** Address of the script that shows what a run has listed, to choose from; null: it lists nothing. */
  readonly listed: string | null;
  /** The option that takes what was chosen; '': it lists nothing. */
  readonly listOption: string;
  /** The tool that cuts stretches by hand. */
  readonly cut: { readonly tool: string; readonly action: string } | null;
  /** The page to sign in, which leads back here. */
  readonly signIn: string;
  /** The page on which a file is edited by its words. */
  readonly editor: string;
  /** What runs the tool in this browser; null: it cannot. */
  readonly device: DeviceBench | null;
  /** Signed in: files are kept with the service; null: a visitor. */
  readonly own: OwnBench | null;
  readonly t: BenchTexts;
  readonly units: Strings['units'];
  /** By code. */
  readonly errors: Strings['errors'];
  readonly warnings: Strings['warnings'];
}

/** How a tool runs in the browser. */
export interface DeviceBench {
  /** Public id of the tool. */
  readonly tool: string;
  /** Addresses of the script that decides and runs, and of `earshot/browser`. */
  readonly script: string;
  readonly engine: string;
  /** The option that says the format of what is written; null: it only answers. */
  readonly format: string | null;
  /** It does so with a smaller network than the service. */
  readonly isLighter: boolean;
  /** Address of the service worker that keeps the page; null: none does. */
  readonly offline: string | null;
  /** The service runs it for this person, too. */
  readonly orServer: boolean;
}

/** What a tool's page knows for a person who is signed in. */
export interface OwnBench {
  /** Identifier of the tool in jobs. */
  readonly tool: string;
  /** Do its jobs have a price, which may be bounded or declined? */
  readonly hasJobFields: boolean;
  /** Can a passage be heard before and after, for nothing? */
  readonly hasPreview: boolean;
  /** Address of the REST API. */
  readonly api: string;
  /** Address of the script that sends files. */
  readonly upload: string;
  /** Files of the account: <this>/<id>/content. */
  readonly files: string;
  /** The page that sells credits. */
  readonly credits: string;
  /** For so many hours files are kept. */
  readonly hours: number;
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
  readonly warnings: readonly RunWarning[];
  readonly statusUrl: string;
  /** It runs, or has run, in this browser. */
  readonly here?: HereRun;
  readonly finishUrl?: string;
  readonly finishPriceCredits?: number;
  readonly nextStep?: string;
}

/** A chosen file of a page, as far as it matters to a run in this browser. */
export interface HereItem {
  readonly key: number;
  readonly name: string;
  /** null: it is not on this device. */
  readonly file: File | null;
}

export interface HereOrder {
  /** Begins it. */
  here(): RunRecord;
}

/** @param only this one of several files */
export type HereOrders = (only?: HereItem) => HereOrder;

/** What is drawn of a sound, and its figures. */
export interface Analysed {
  readonly peaks: Peaks;
  /** null: too long to be measured here. */
  readonly measured: Measured | null;
}

/** A run in this browser. */
export interface HereRun {
  /** @returns stops following */
  watch(onChange: (run: RunRecord) => void): () => void;
  cancel(): void;
  /** Of a file that is too long to be decoded at once; null: it is not, or no WAV. */
  analyse(file: File): Promise<Analysed | null>;
}

export interface RunWarning {
  readonly code: string;
  readonly message: string;
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
  /** Itself, where it was made in this browser. */
  readonly file?: File;
}
