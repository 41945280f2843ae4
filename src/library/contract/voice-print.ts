// A voice in numbers, by which the person is known again. It is biometric data: see docs/voices.md.
import { EarshotError } from '../core/errors/errors.ts';

/** A voice print as it is stored: JSON. It holds no sound, and no sound can be made of it. */
export interface VoicePrint {
  readonly format: 'earshot-voice-print';
  readonly version: 1;
  /** SHA-256 of the network's file. Prints of different networks cannot be compared. */
  readonly model: string;
  /** Speech that it was made of. */
  readonly seconds: number;
  /** Number of recordings that it was made of. */
  readonly recordings: number;
  /** A direction of 192 numbers of length 1: float32, little-endian, as base64. */
  readonly plain: string;
  /** The same of the same speech through a telephone. */
  readonly telephone: string;
}

/** A print under the name of the person. */
export interface KnownVoice {
  /** Of the person, as transcripts are to have it: 1 to 80 characters, see `checkVoiceName`. */
  readonly name: string;
  readonly print: VoicePrint;
}

/** A short recording of a person: a print is made of it within a run, and forgotten with the run. */
export interface VoiceReference extends Pick<KnownVoice, 'name'> {
  /** A media file, 2 to 10 s long, as base64. */
  readonly sound: string;
}

/** What is known of a speaker's voice. */
export interface VoiceDecision {
  /** Number of the speaker in the transcript. */
  readonly speaker: number;
  /** null: not a known voice, or none that can be told. */
  readonly name: string | null;
  /** Cosine to the print that is most alike, -1 to 1; null: too little speech. */
  readonly likeness: number | null;
  /** Cosine to the print of the next name, -1 to 1; null: there is none. */
  readonly runnerUp: number | null;
  /** Of the name, 0.5 to 1; null without a name. It is no probability that it is the person. */
  readonly confidence: number | null;
  /** Is there too little speech to be sure of the name? */
  readonly uncertain: boolean;
}

/** Numbers of a direction. */
export const printLength = 192;
/** Characters of a name. */
export const longestVoiceName = 80;
/** Voices that are looked for in one recording. */
export const mostVoices = 200;
/** Instead of names: all that there are. */
export const everyVoice = 'all';

const directionBytes = 4 * printLength;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** @throws TypeError when it is no direction */
export function directionOf(text: string): Float32Array<ArrayBuffer> {
  const bytes = base64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (bytes.length !== directionBytes) throw new TypeError('Expected 192 numbers');
  const values = Float32Array.from({ length: printLength }, (_, at) => bytes.readFloatLE(4 * at));
  const length = Math.hypot(...values);
  if (!(Math.abs(length - 1) < 0.01)) throw new TypeError('Expected numbers of length 1');
  return values;
}

export function directionText(values: Float32Array): string {
  const bytes = Buffer.alloc(directionBytes);
  for (const [at, value] of values.entries()) bytes.writeFloatLE(value, 4 * at);
  return bytes.toString('base64');
}

/**
 * Checks what claims to be a print. The error says nothing of its numbers.
 * @throws EarshotError bad_request
 */
export function checkVoicePrint(value: unknown): VoicePrint {
  const { format, version, model, seconds, recordings, plain, telephone } = (value ?? {}) as Record<string, unknown>;
  const isCount = (number: unknown, least: number): number is number =>
    typeof number === 'number' && Number.isFinite(number) && number >= least && number <= 1e6;
  const isDirection = (text: unknown): text is string => {
    try {
      return typeof text === 'string' && directionOf(text).length === printLength;
    } catch {
      return false;
    }
  };
  if (
    format !== 'earshot-voice-print' ||
    version !== 1 ||
    typeof model !== 'string' ||
    !/^[0-9a-f]{64}$/.test(model) ||
    !isCount(seconds, 0) ||
    !isCount(recordings, 1) ||
    !isDirection(plain) ||
    !isDirection(telephone)
  )
    throw new EarshotError('bad_request', 'Expected a voice print but received something else, or a damaged one', {
      nextAction: 'Make the print again from a recording.',
    });
  return { format, version, model, seconds, recordings, plain, telephone };
}

// oxlint-disable-next-line no-control-regex -- they are what is refused
const unfit = /[\u0000-\u001f\u007f,]/;

/** A name as it is kept, without spaces around it. @throws EarshotError bad_request */
export function checkVoiceName(name: string): string {
  const trimmed = name.trim().normalize('NFC');
  if (
    trimmed === '' ||
    trimmed.length > longestVoiceName ||
    unfit.test(trimmed) ||
    trimmed.toLowerCase() === everyVoice
  )
    throw new EarshotError(
      'bad_request',
      `Expected a name of 1 to ${longestVoiceName} characters on one line, without commas, and not ${everyVoice}`,
    );
  return trimmed;
}

/** Are these two the same person's name? Case does not count. */
export const isSameName = (a: string, b: string): boolean =>
  a.trim().normalize('NFC').toLowerCase() === b.trim().normalize('NFC').toLowerCase();

/**
 * The voices that were asked for.
 * @param names `['all']`: all of them
 * @throws EarshotError bad_request for a name that has no print
 */
export function chosenVoices(names: readonly string[], known: readonly KnownVoice[]): KnownVoice[] {
  if (names.some((name) => isSameName(name, everyVoice))) return known.slice(0, mostVoices);
  const chosen = names.map((name, at) => {
    const found = known.find((voice) => isSameName(voice.name, name));
    // Names of people stay out of errors, which are logged.
    if (found === undefined)
      throw new EarshotError('bad_request', `Expected the name of a known voice for voices[${at}] but there is none`, {
        nextAction: 'List the voices that there are, or add this one first.',
        details: { option: 'voices', at },
      });
    return found;
  });
  return [...new Set(chosen)];
}
