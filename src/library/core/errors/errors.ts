import { isFullDiskCode, lacking } from './machine-lacks.ts';
import { missingPart } from '../native-files.ts';

/**
 * The error catalogue. Every failure that leaves the library is an `EarshotError` with a code from here. The codes are
 * those of the service interface, word for word; HTTP dialects map them to status codes.
 */
interface ErrorEntry {
  /** When it is raised, in one sentence. */
  readonly meaning: string;
  /** May the same call succeed on retry? */
  readonly retryable: boolean;
  /** What the caller can do about it. */
  readonly nextAction: string;
}

/** Every error code with what the caller can do, and whether the same call may succeed on retry. */
export const errorCatalogue = {
  bad_request: {
    meaning: 'A field, an option or a path is missing, unknown, of the wrong type or out of range.',
    retryable: false,
    nextAction: 'Correct the named field and send the request again.',
  },
  unauthorized: {
    meaning: 'Credentials are missing, invalid or expired.',
    retryable: false,
    nextAction: 'Send a valid API key or sign in.',
  },
  forbidden: {
    meaning: 'The credentials are valid but do not allow this.',
    retryable: false,
    nextAction: 'Use credentials that have this right.',
  },
  not_found: {
    meaning: 'The path or id does not exist, or belongs to another account.',
    retryable: false,
    nextAction: 'Check the path or the id.',
  },
  conflict: {
    meaning: 'The request conflicts with the current state of its object.',
    retryable: false,
    nextAction: 'Read the current state and decide again.',
  },
  idempotency_key_reused: {
    meaning: 'The idempotency key was used for a different request.',
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
    meaning: "The service's daily budget for free uses is used up.",
    retryable: true,
    nextAction: 'Try again later or use an account.',
  },
  free_disabled: {
    meaning: 'This tool has no free uses.',
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
    meaning: 'The file has expired or was deleted.',
    retryable: false,
    nextAction: 'Upload the file again.',
  },
  file_too_large: {
    meaning: 'The file or body is larger than allowed.',
    retryable: false,
    nextAction: 'Use a smaller file.',
  },
  file_too_long: {
    meaning: 'The recording is longer than allowed.',
    retryable: false,
    nextAction: 'Split the file and process the parts.',
  },
  unsupported_format: {
    meaning: 'Unsupported file or body format.',
    retryable: false,
    nextAction: 'Convert the file to WAV, FLAC, MP3, M4A or MP4 first.',
  },
  wrong_file_type: {
    meaning: 'The tool does not accept this type of file: audio, video or text.',
    retryable: false,
    nextAction: 'Pass a file of the type that the message names.',
  },
  text_too_long: { meaning: 'The text is longer than allowed.', retryable: false, nextAction: 'Shorten the text.' },
  no_audio: { meaning: 'The file has no audio.', retryable: false, nextAction: 'Use a file with audio.' },
  ranges_outside: {
    meaning: 'Ranges are outside the recording.',
    retryable: false,
    nextAction: 'Use ranges within the length of the file.',
  },
  fetch_failed: {
    meaning: 'The link did not answer with a file.',
    retryable: true,
    nextAction: 'Check that the link is public and answers.',
  },
  limit_exceeded: {
    meaning: 'A limit of the account was reached, or a job exceeded its limit of memory, time or disk.',
    retryable: false,
    nextAction: 'Stay within the limit that the message names.',
  },
  upload_limit_reached: {
    meaning: 'Too many uploads arrive at the same time.',
    retryable: true,
    nextAction: 'Wait until an upload ends.',
  },
  rate_limited: {
    meaning: 'Too many requests in this minute.',
    retryable: true,
    nextAction: 'Wait that long and send it again; the RateLimit headers say how many requests are left.',
  },
  job_not_cancellable: {
    meaning: 'The job has ended.',
    retryable: false,
    nextAction: 'Read its result.',
  },
  tool_unavailable: {
    meaning: 'The tool or the service is not available here or now.',
    retryable: false,
    nextAction: 'Install what the message names and try again.',
  },
  build_mismatch: {
    meaning: 'The versions of client and service are not compatible.',
    retryable: false,
    nextAction: 'Reload and try again.',
  },
  internal_error: {
    meaning: 'Internal error; the request was valid.',
    retryable: true,
    nextAction: 'Try again; if it happens again, report it with the file.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** A code of the catalogue, stable: "file_too_long". */
export type ErrorCode = keyof typeof errorCatalogue;

/** Facts about an error for programs, by name: {field, expected, received} of a bad_request. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The plain form of an error, for process borders and the HTTP error object. */
export interface ErrorJson {
  readonly code: ErrorCode;
  /** What was expected and what came, in one readable sentence. */
  readonly message: string;
  /** May the same call succeed on retry? */
  readonly retryable: boolean;
  /** What the caller can do about it, in one sentence. */
  readonly nextAction: string;
  /** Absent when there is nothing to add to the message. */
  readonly details?: ErrorDetails;
}

/** On every EarshotError, from any copy of this module. */
const brand = Symbol.for('earshot.EarshotError');

/**
 * The only error that public functions throw. `message` says what was expected and received; `nextAction` what to do.
 */
export class EarshotError extends Error {
  readonly code: ErrorCode;
  /** May the same call succeed on retry? Default: as in the catalogue. */
  readonly retryable: boolean;
  /** What the caller can do, in one sentence. Default: as in the catalogue. */
  readonly nextAction: string;
  readonly details: ErrorDetails | undefined;

  /**
   * Also true for errors of another copy of this module: a job process may be built while its tool's code is not, and
   * an application may hold two versions.
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

  /** The plain form for `fromJSON`, without cause and stack. */
  toJSON(): ErrorJson {
    const { code, message, retryable, nextAction, details } = this;
    return details === undefined
      ? { code, message, retryable, nextAction }
      : { code, message, retryable, nextAction, details };
  }

  /** An error from its plain form; its stack starts here. */
  static fromJSON(json: ErrorJson): EarshotError {
    const { code, message, retryable, nextAction, details } = json;
    return new EarshotError(
      code,
      message,
      details === undefined ? { retryable, nextAction } : { retryable, nextAction, details },
    );
  }

  /**
   * Wraps any thrown value: an EarshotError is returned as it is, a missing package becomes tool_unavailable, anything
   * else internal_error.
   */
  static from(thrown: unknown): EarshotError {
    if (thrown instanceof EarshotError) return thrown;
    const { code, syscall } = (thrown ?? {}) as NodeJS.ErrnoException;
    // The system's own message names temporary paths.
    if (thrown instanceof Error && typeof code === 'string' && typeof syscall === 'string')
      return new EarshotError('internal_error', `The system call ${syscall} failed during the work (${code})`, {
        cause: thrown,
        ...(isFullDiskCode(code) ? { details: lacking('disk') } : {}),
      });
    const missing = missingPart(thrown);
    if (missing !== null)
      return new EarshotError('tool_unavailable', missing.message, {
        nextAction: missing.nextAction,
        details: lacking('installation'),
        cause: thrown,
      });
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new EarshotError('internal_error', message, { cause: thrown });
  }
}
