import { missingPart } from './native-files.ts';

/**
 * The one catalogue of errors. Every failure that leaves the library is an `EarshotError` with a code from here;
 * HTTP dialects map codes to status elsewhere. Codes are those of the service interface, word for word.
 */
interface ErrorEntry {
  /** When it is raised, in one sentence. */
  readonly meaning: string;
  /** May the same call succeed when it is simply tried again? */
  readonly retryable: boolean;
  /** What the caller can do about it. */
  readonly nextAction: string;
}

/** Every error code with what the caller can do about it and whether the same call may succeed when tried again. */
export const errorCatalogue = {
  bad_request: {
    meaning: 'A field, an option or a path is missing, unknown, of the wrong kind or out of its range.',
    retryable: false,
    nextAction: 'Correct the named field and send the request again.',
  },
  unauthorized: {
    meaning: 'There are no credentials, or they are not, or no longer, valid.',
    retryable: false,
    nextAction: 'Send a valid API key or sign in.',
  },
  forbidden: {
    meaning: 'The credentials are valid and do not allow this.',
    retryable: false,
    nextAction: 'Use credentials that have this right.',
  },
  not_found: {
    meaning: 'There is nothing under this path or id, or not for this account.',
    retryable: false,
    nextAction: 'Check the path or the id.',
  },
  conflict: {
    meaning: 'The request does not go with the present state of what it is about.',
    retryable: false,
    nextAction: 'Read the current state and decide again.',
  },
  idempotency_key_reused: {
    meaning: 'The idempotency key belongs to an earlier request that asked for something else.',
    retryable: false,
    nextAction: 'Use a new idempotency key for a different request.',
  },
  insufficient_balance: {
    meaning: 'The account has fewer credits than this costs.',
    retryable: false,
    nextAction: 'Buy credits, or use a shorter file.',
  },
  over_spending_cap: {
    meaning: 'The price is above max_credits.',
    retryable: false,
    nextAction: 'Raise max_credits or process a shorter file.',
  },
  free_limit_reached: {
    meaning: 'The free uses of this day are used up.',
    retryable: true,
    nextAction: 'Wait for the reset or use an account.',
  },
  free_budget_exhausted: {
    meaning: 'What the service gives away in a day is used up.',
    retryable: true,
    nextAction: 'Try again later or use an account.',
  },
  free_disabled: {
    meaning: 'Nothing is given away for this tool.',
    retryable: false,
    nextAction: 'Use an account with credits.',
  },
  file_not_ready: {
    meaning: 'The file has not arrived yet, or is still being checked.',
    retryable: true,
    nextAction: 'Wait until the file is ready.',
  },
  file_invalid: {
    meaning: 'The file is damaged, or is not what its name says.',
    retryable: false,
    nextAction: 'Export the file again from its source, or convert it with another program first.',
  },
  file_expired: {
    meaning: 'The file was deleted, by its age or on request.',
    retryable: false,
    nextAction: 'Upload the file again.',
  },
  file_too_large: {
    meaning: 'The file or the body has more bytes than are taken.',
    retryable: false,
    nextAction: 'Use a smaller file.',
  },
  file_too_long: {
    meaning: 'The recording is longer than is processed.',
    retryable: false,
    nextAction: 'Split the file and process the parts.',
  },
  unsupported_format: {
    meaning: 'The format of the file or of the body is none that is read.',
    retryable: false,
    nextAction: 'Convert the file to WAV, FLAC, MP3, M4A or MP4 first.',
  },
  wrong_file_type: {
    meaning: 'The file is of a kind that the tool does not take: sound, video or text.',
    retryable: false,
    nextAction: 'Pass a file of the type that the message names.',
  },
  text_too_long: { meaning: 'The text is longer than is taken.', retryable: false, nextAction: 'Shorten the text.' },
  no_audio: { meaning: 'The file has no sound.', retryable: false, nextAction: 'Use a file that has sound.' },
  ranges_outside: {
    meaning: 'Ranges lie outside of the recording.',
    retryable: false,
    nextAction: 'Use ranges inside the length of the file.',
  },
  fetch_failed: {
    meaning: 'The link did not answer with a file.',
    retryable: true,
    nextAction: 'Check that the link is public and answers.',
  },
  limit_exceeded: {
    meaning:
      'More is asked for than the account is given, or a job needed more memory, time or disk than a job is given.',
    retryable: false,
    nextAction: 'Stay within the limit that the message names.',
  },
  upload_limit_reached: {
    meaning: 'Too many uploads arrive at the same time.',
    retryable: true,
    nextAction: 'Wait until a running upload ends.',
  },
  rate_limited: {
    meaning: 'Too many requests came in this minute.',
    retryable: true,
    nextAction: 'Slow down; see the RateLimit headers.',
  },
  job_not_cancellable: {
    meaning: 'The job has ended.',
    retryable: false,
    nextAction: 'The job has already ended; read its result.',
  },
  tool_unavailable: {
    meaning: 'The tool, or the service, cannot work here or now.',
    retryable: false,
    nextAction: 'Install what the message names and try again.',
  },
  build_mismatch: {
    meaning: 'Client and service are of versions that do not go together.',
    retryable: false,
    nextAction: 'Reload and try again.',
  },
  internal_error: {
    meaning: 'Something failed that the request is not to blame for.',
    retryable: true,
    nextAction: 'Try again; if it happens again, report it with the file.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** A code of the catalogue, stable: "file_too_long". */
export type ErrorCode = keyof typeof errorCatalogue;

/** Facts that belong to an error, by name, for programs: {field, expected, received} of a bad_request. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Plain form of an error: what crosses process borders and what the HTTP error object is made of. */
export interface ErrorJson {
  readonly code: ErrorCode;
  /** What was expected and what came, in one readable sentence. */
  readonly message: string;
  /** May the same call succeed when it is simply tried again? */
  readonly retryable: boolean;
  /** What the caller can do about it, in one sentence. */
  readonly nextAction: string;
  /** Absent when there is nothing to add to the message. */
  readonly details?: ErrorDetails;
}

/** Carried by every EarshotError, whichever copy of this module made it. */
const brand = Symbol.for('earshot.EarshotError');

/**
 * The only error that public functions throw. `message` says what was expected and what came; `nextAction` what to do.
 */
export class EarshotError extends Error {
  readonly code: ErrorCode;
  /** May the same call succeed when it is simply tried again? Default: as the catalogue says for the code. */
  readonly retryable: boolean;
  /** What the caller can do about it, in one sentence. Default: as the catalogue says for the code. */
  readonly nextAction: string;
  readonly details: ErrorDetails | undefined;

  /**
   * An error of another copy of this module is one, too: a job process may be built while its tool's work is not, and an
   * application may hold two versions.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== EarshotError) return super[Symbol.hasInstance](value);
    return typeof value === 'object' && value !== null && brand in value;
  }

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails; nextAction?: string; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EarshotError';
    this.code = code;
    this.retryable = options.retryable ?? errorCatalogue[code].retryable;
    this.nextAction = options.nextAction ?? errorCatalogue[code].nextAction;
    this.details = options.details;
    Object.defineProperty(this, brand, { value: true });
  }

  /** The plain form, which `fromJSON` turns back. The cause and the stack are left out. */
  toJSON(): ErrorJson {
    const { code, message, retryable, nextAction, details } = this;
    return details === undefined
      ? { code, message, retryable, nextAction }
      : { code, message, retryable, nextAction, details };
  }

  /** An error of this kind from its plain form; its stack begins here. */
  static fromJSON(json: ErrorJson): EarshotError {
    const { code, message, retryable, nextAction, details } = json;
    return new EarshotError(
      code,
      message,
      details === undefined ? { retryable, nextAction } : { retryable, nextAction, details },
    );
  }

  /**
   * Wraps anything thrown: an EarshotError stays what it is, a part that is not installed becomes tool_unavailable, all
   * else internal_error.
   */
  static from(thrown: unknown): EarshotError {
    if (thrown instanceof EarshotError) return thrown;
    const { code, syscall } = (thrown ?? {}) as NodeJS.ErrnoException;
    // The system's own words name temporary paths.
    if (thrown instanceof Error && typeof code === 'string' && typeof syscall === 'string')
      return new EarshotError('internal_error', `The system refused "${syscall}" in the course of the work (${code})`, {
        cause: thrown,
      });
    const missing = missingPart(thrown);
    if (missing !== null)
      return new EarshotError('tool_unavailable', missing.message, { nextAction: missing.nextAction, cause: thrown });
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new EarshotError('internal_error', message, { cause: thrown });
  }
}
