// Validates messages of job processes, which open untrusted files and may be compromised. Written by hand: a validator
// library would be the largest part of a short command.
import { errorCatalogue, type ErrorJson } from '../../core/errors/errors.ts';
import { isRunStage } from '../../core/progress/stages.ts';
import type { FromJob } from './protocol.ts';

/** Longest line of a job process in bytes: a result may list thousands of entries, all else is short. */
export const longestLineBytes = 8 * 2 ** 20;
const longestOtherBytes = 2 ** 20;

const longestText = 10_000;
const longestWord = 300;
const mostOutputs = 1000;
/** FFmpeg is allowed as many streams. */
const mostTracks = 256;
/** Passes announced at a time. */
const mostPasses = 100;

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown, longest = longestText): value is string =>
  typeof value === 'string' && value.length <= longest;
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isNullOr = (value: unknown, test: (value: unknown) => boolean): boolean => value === null || test(value);
const isMissingOr = (value: unknown, test: (value: unknown) => boolean): boolean => value === undefined || test(value);
const isWord = (value: unknown): boolean => isText(value, longestWord);

const isTrack = (value: unknown): boolean =>
  isObject(value) &&
  isWord(value['type']) &&
  isWord(value['codec']) &&
  isNullOr(value['language'], isWord) &&
  typeof value['decodable'] === 'boolean' &&
  isNullOr(value['track'], isNumber);

const isMedia = (value: unknown): boolean =>
  isObject(value) &&
  isNullOr(value['codec'], isWord) &&
  isMissingOr(value['tracks'], (all) => Array.isArray(all) && all.length <= mostTracks && all.every(isTrack)) &&
  ['sampleRate', 'channels', 'width', 'height'].every((name) => isNullOr(value[name], isNumber));

const areStages = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= mostPasses && value.every(isRunStage);

const isOutput = (value: unknown): boolean =>
  isObject(value) &&
  isText(value['path']) &&
  isText(value['filename'], 1000) &&
  isWord(value['contentType']) &&
  isWord(value['format']) &&
  isNullOr(value['durationSeconds'], isNumber) &&
  isMissingOr(value['role'], isWord) &&
  typeof value['hasVideo'] === 'boolean' &&
  typeof value['hasAudio'] === 'boolean' &&
  isNullOr(value['media'], isMedia);

const isResult = (value: unknown): boolean => {
  if (!isObject(value) || !isObject(value['result']) || !isNumber(value['processedSeconds'])) return false;
  const { outputs } = value;
  return (
    value['processedSeconds'] >= 0 && Array.isArray(outputs) && outputs.length <= mostOutputs && outputs.every(isOutput)
  );
};

const isError = (value: unknown): value is ErrorJson =>
  isObject(value) &&
  typeof value['code'] === 'string' &&
  Object.hasOwn(errorCatalogue, value['code']) &&
  isText(value['message']) &&
  isText(value['nextAction']) &&
  typeof value['retryable'] === 'boolean' &&
  isMissingOr(value['details'], isObject);

const forms: Readonly<Record<FromJob['type'], (message: Fields) => boolean>> = {
  ready: ({ runtime, version }) => isWord(runtime) && isWord(version),
  progress: ({ fraction, stage }) => isNumber(fraction) && isRunStage(stage),
  pass: ({ stage, after, maybe }) => isRunStage(stage) && areStages(after) && areStages(maybe),
  warning: ({ warning }) => isObject(warning) && isWord(warning['code']) && isText(warning['message']),
  partial: ({ part }) => isObject(part),
  finished: ({ part }) => isObject(part) && isWord(part['key']) && Object.hasOwn(part, 'value'),
  unremembered: ({ path }) => isText(path),
  done: ({ result }) => isResult(result),
  failed: ({ error, stack }) => isError(error) && isMissingOr(stack, isText),
  aborted: () => true,
};

/**
 * @param bytes length of the line
 * @returns null for an invalid message
 */
export function readMessage(value: unknown, bytes: number): FromJob | null {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(forms, value['type'])) return null;
  const type = value['type'] as FromJob['type'];
  if (type !== 'done' && bytes > longestOtherBytes) return null;
  return forms[type](value) ? (value as unknown as FromJob) : null;
}

/** Cut to the length that the engine accepts. */
export const shortened = (text: string, longest = longestText): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
