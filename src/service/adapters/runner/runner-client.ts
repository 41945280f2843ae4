import { openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError, errorCatalogue, type ErrorJson } from '../../../library/core/errors/errors.ts';
import type { Progress } from '../../../library/core/progress/progress.ts';
import type { RunnerOrder, RunnerPart } from '../../rules/runners/order.ts';
import type { RunnerMachine } from '../../rules/runners/machine.ts';
import type { RunnerAnswer } from '../../rules/runners/runner-store.ts';
import type { PartReceipt } from '../../rules/files/object-store.ts';

const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** How long a call is retried while the service does not answer: longer than a restart or a busy minute. */
const patienceMs = 10 * 60_000;
const answerMs = 60_000;

/** Client of the service's runner API, with the runner's token or that of one job. */
export class RunnerClient {
  private readonly url: string;

  /** @param url of the service, without a slash at its end */
  constructor(url: string) {
    this.url = url;
  }

  /** null: no job at the moment. Not retried. */
  async ask(token: string, asked: RunnerMachine & { readonly waitSeconds: number }): Promise<RunnerOrder | null> {
    // What is left of --idle-exit is no whole number, and a limit must be one.
    const limit = AbortSignal.timeout(Math.ceil(asked.waitSeconds * 1000) + answerMs);
    const { job } = await this.once<{ job: RunnerOrder | null }>('/jobs', token, asked, limit);
    return job;
  }

  /** The process stops. Not retried: the service sees it by itself, a little later. */
  async leave(token: string, session: string): Promise<void> {
    await this.once('/leave', token, { session }, AbortSignal.timeout(10_000));
  }

  /** Not retried: the next report follows. */
  report(token: string, progress: Progress): Promise<{ readonly current: boolean; readonly cancelRequested: boolean }> {
    const { progress: share, stage, estimatedSecondsLeft } = progress;
    const body = { progress: share, stage: stage.slice(0, 300), estimatedSecondsLeft };
    return this.once('/job/progress', token, body, AbortSignal.timeout(answerMs));
  }

  async read(url: string, signal: AbortSignal): Promise<Readable> {
    const answer = await fetch(url, { signal });
    if (!answer.ok || answer.body === null) throw await errorOf(answer);
    return Readable.fromWeb(answer.body);
  }

  /** Sends a file in parts. @returns its number among the job's outputs */
  async send(token: string, path: string, signal: AbortSignal): Promise<number> {
    const bytes = await openAsBlob(path);
    const { output, parts } = await this.patiently(
      () =>
        this.once<{ output: number; parts: RunnerPart[] }>('/job/outputs', token, { sizeBytes: bytes.size }, signal),
      signal,
    );
    const receipts: PartReceipt[] = [];
    let from = 0;
    for (const { part, url, sizeBytes } of parts) {
      const piece = bytes.slice(from, from + sizeBytes);
      from += sizeBytes;
      receipts.push(await this.patiently(() => putPart(url, part, piece, signal), signal));
    }
    await this.patiently(() => this.once('/job/outputs/complete', token, { output, parts: receipts }, signal), signal);
    return output;
  }

  /** false: another machine has the job by now. */
  async handOver(token: string, answer: RunnerAnswer, signal: AbortSignal): Promise<boolean> {
    const { accepted } = await this.patiently(
      () => this.once<{ accepted: boolean }>('/job/result', token, answer, signal),
      signal,
    );
    return accepted;
  }

  async end(
    token: string,
    why: 'again' | 'back' | 'unfit' | 'no-room' | 'cancelled' | ErrorJson,
    signal: AbortSignal,
  ): Promise<boolean> {
    const body = typeof why === 'string' ? { why } : { why: 'failed', error: why };
    const { accepted } = await this.patiently(
      () => this.once<{ accepted: boolean }>('/job/end', token, body, signal),
      signal,
    );
    return accepted;
  }

  private async once<Answer>(path: string, token: string, body: object, signal: AbortSignal): Promise<Answer> {
    const answer = await fetch(`${this.url}/api/runner${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal,
      // A redirect to another address would receive the token.
      redirect: 'error',
    });
    if (!answer.ok) throw await errorOf(answer);
    return (await answer.json()) as Answer;
  }

  private async patiently<Answer>(call: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    const until = performance.now() + patienceMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        return await call();
      } catch (thrown) {
        if (signal.aborted || !mayRepeat(thrown) || performance.now() > until) throw thrown;
      }
      await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
    }
  }
}

/** Unreachable, busy, or restarting. */
export function mayRepeat(thrown: unknown): boolean {
  if (!(thrown instanceof EarshotError)) return !(thrown instanceof Error && thrown.name === 'AbortError');
  return thrown.retryable || thrown.code === 'rate_limited' || thrown.details?.['status'] === 503;
}

async function putPart(url: string, number: number, piece: Blob, signal: AbortSignal): Promise<PartReceipt> {
  const answer = await fetch(url, { method: 'PUT', body: piece, signal });
  if (!answer.ok) throw await errorOf(answer);
  const body = await answer.text();
  // Sent directly to an object store: the receipt is in a header.
  const isOurs = answer.headers.get('content-type')?.includes('json') === true;
  return isOurs
    ? (JSON.parse(body) as PartReceipt)
    : { number, sizeBytes: piece.size, etag: answer.headers.get('etag') ?? '' };
}

async function errorOf(answer: Response): Promise<EarshotError> {
  const { status } = answer;
  const text = await answer.text().catch(() => '');
  try {
    const { error } = JSON.parse(text) as { error: ErrorJson };
    if (Object.hasOwn(errorCatalogue, error.code))
      return new EarshotError(error.code, error.message, {
        retryable: error.retryable || status >= 500,
        ...(error.nextAction === undefined ? {} : { nextAction: error.nextAction }),
        details: { ...error.details, status },
      });
  } catch {
    // The answer of a proxy or of an object store.
  }
  return new EarshotError('internal_error', `The service answered with status ${status}`, {
    retryable: status >= 500 || status === 429,
    details: { status },
  });
}
