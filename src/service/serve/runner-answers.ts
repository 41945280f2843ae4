import type { ErrorJson } from '../../library/core/errors.ts';
import type { Warning } from '../../library/core/progress.ts';
import { readMessage } from '../../library/runtime/messages.ts';
import type { RunnerAnswer, RunnerFile } from '../rules/runner-store.ts';

const mostWarnings = 20;

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A runner's answer is validated like that of a job process. null: not valid. */
export function readRunnerAnswer(value: unknown): RunnerAnswer | null {
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
