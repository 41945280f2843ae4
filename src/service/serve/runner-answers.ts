import type { ValidateFunction } from 'ajv';
import { compileSchema } from '../../library/core/checks/compile-schema.ts';
import { EarshotError, type ErrorJson } from '../../library/core/errors/errors.ts';
import type { Warning } from '../../library/core/progress/progress.ts';
import { warningCatalogue } from '../../library/core/errors/warnings.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import { readMessage } from '../../library/runtime/channel/messages.ts';
import { passageFactsSchema } from '../../library/contract/passage-order.ts';
import { resultSchemas } from '../../library/tools/result-schemas.ts';
import type { RunnerAnswer, RunnerFile } from '../rules/runners/runner-store.ts';

const mostWarnings = 20;

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const validatePassage = compileSchema(passageFactsSchema, { strict: false });
const compiled = new Map<ToolId, ValidateFunction>();

/** What is wrong with a result of the tool, as an end of a sentence; null: nothing. */
export function resultFault(tool: ToolId, result: unknown): string | null {
  const { preview, ...own }: Fields = isObject(result) ? result : {};
  const validate = compiled.get(tool) ?? compileSchema(resultSchemas[tool], { strict: false });
  compiled.set(tool, validate);
  const isWhole = preview === undefined;
  if (validate(isWhole ? result : own) && (isWhole || validatePassage(preview))) return null;
  const [{ instancePath, message } = { instancePath: '', message: '' }] =
    validate.errors ?? validatePassage.errors ?? [];
  return `${instancePath === '' ? 'it' : instancePath.slice(1, 100)} ${message}`;
}

/**
 * A runner's answer is held against what a job process can say, and what the tool says.
 * @throws EarshotError bad_request
 */
export function readRunnerAnswer(value: unknown, tool: ToolId): RunnerAnswer {
  const answer = answerIn(value);
  if (answer === null) throw new EarshotError('bad_request', 'Expected the answer of a run as a job process gives it');
  const fault = resultFault(tool, answer.result);
  if (fault !== null) throw new EarshotError('bad_request', `Expected a result as ${tool} gives it but ${fault}`);
  if (!answer.warnings.every(({ code }) => Object.hasOwn(warningCatalogue, code)))
    throw new EarshotError('bad_request', 'Expected warnings of the catalogue but one has another code');
  return answer;
}

function answerIn(value: unknown): RunnerAnswer | null {
  if (!isObject(value)) return null;
  const { files, result, processedSeconds, warnings } = value;
  if (!Array.isArray(files) || !files.every(isObject) || !Array.isArray(warnings)) return null;
  const outputs = files.map((file) => ({ ...file, path: '' }));
  const done = readMessage({ type: 'done', result: { outputs, result, processedSeconds } }, 0);
  if (done?.type !== 'done') return null;
  const read: Warning[] = [];
  for (const warning of warnings.slice(0, mostWarnings)) {
    const message = readMessage({ type: 'warning', warning }, 0);
    if (message?.type !== 'warning') return null;
    read.push({ code: message.warning.code, message: message.warning.message });
  }
  const named: RunnerFile[] = [];
  for (const [index, output] of done.result.outputs.entries()) {
    const { output: number, sha256 } = files[index] ?? {};
    if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) return null;
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return null;
    const { filename, contentType, format, durationSeconds, hasVideo, hasAudio, media } = output;
    named.push({ output: number, sha256, filename, contentType, format, durationSeconds, hasVideo, hasAudio, media });
  }
  return { files: named, result: done.result.result, warnings: read, processedSeconds: done.result.processedSeconds };
}

export function readRunnerError(value: unknown): ErrorJson | null {
  const message = readMessage({ type: 'failed', error: value }, 0);
  return message?.type === 'failed' ? message.error : null;
}
