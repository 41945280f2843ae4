// Runs a chain over each recording that falls into an inbox. What an inbox and a place for results are: `Inbox` and
// `Results` of the contract.
import { basename, extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Claim, Inbox, Results } from '../../contract/watched-places.ts';
import { isAbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { machineLacks } from '../../core/errors/machine-lacks.ts';
import type { Progress, Warning } from '../../core/progress/progress.ts';
import type { Engine } from '../engine/engine-types.ts';
import type { Chain } from './chain.ts';
import { runChain } from './run-chain.ts';

/** What happens to a recording. */
export type WatchEvent = {
  /** The recording: a file or a folder in the inbox. */
  readonly name: string;
} & (
  | {
      /** It has been claimed. */
      readonly type: 'begun';
    }
  | {
      readonly type: 'progress';
      /** Of its chain. */
      readonly progress: Progress;
    }
  | {
      readonly type: 'warning';
      /** Of its chain. */
      readonly warning: Warning;
    }
  | {
      /** Its results are in place. */
      readonly type: 'done';
      /** Paths of its results. */
      readonly outputs: readonly string[];
    }
  | {
      /** It lies in `failed` with the reason beside it. */
      readonly type: 'failed';
      /** What ended its chain, with a code of the catalogue and the next step. */
      readonly error: EarshotError;
    }
);

/** What is done with recordings, whatever place they fall into. */
export interface WatchWork {
  /** The chain for so many files, 1 or more. */
  chainFor(files: number): Chain;
  /** Extension of resulting sound, as in `ChainOptions`. Default: as the first file. */
  readonly format?: string;
  /** A recording is taken when it has not changed for so many seconds, 0 or more. Default: 5. */
  readonly settleSeconds?: number;
  /** Ends when everything that is there now has been done. Default: false. */
  readonly once?: boolean;
  /** Ends the watching; the recording at work goes back into the inbox. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Told what happens. Default: nothing is. */
  onEvent?(event: WatchEvent): void;
}

/** How many recordings were done, and how many set aside. */
export interface WatchCounts {
  /** Count of those with results in `finished`. */
  readonly done: number;
  /** Count of those that lie in `failed` with their reasons. */
  readonly failed: number;
}

/**
 * Watches an inbox until its end.
 * @param engine which runs the chains
 * @throws EarshotError for places that cannot be used or do not answer; what the machine lacks (a model, room on the
 *   disk), which ends it with the recording back in the inbox; AbortError
 */
export async function watch(engine: Engine, inbox: Inbox, results: Results, work: WatchWork): Promise<WatchCounts> {
  return new Watcher(engine, inbox, results, work).watch();
}

class Watcher {
  private readonly engine: Engine;
  private readonly inbox: Inbox;
  private readonly results: Results;
  private readonly options: WatchWork;
  private readonly settleMs: number;
  private readonly signal: AbortSignal;
  /** Of each recording: how it looked, and since when. */
  private seen = new Map<string, { readonly look: string; readonly since: number }>();
  private done = 0;
  private failed = 0;

  constructor(engine: Engine, inbox: Inbox, results: Results, options: WatchWork) {
    this.engine = engine;
    this.inbox = inbox;
    this.results = results;
    this.options = options;
    this.settleMs = (options.settleSeconds ?? 5) * 1000;
    this.signal = options.signal ?? new AbortController().signal;
  }

  async watch(): Promise<WatchCounts> {
    await this.inbox.open();
    await this.results.open();
    for (;;) {
      this.signal.throwIfAborted();
      for await (const claim of this.inbox.abandoned()) await this.goOn(claim);
      const { ready, waiting } = await this.look();
      for (const name of ready) {
        const claim = await this.inbox.claim(name);
        if (claim === null) continue;
        this.seen.delete(name);
        await this.unlessLost(claim, () => this.work(claim));
      }
      if (ready.length > 0) continue;
      if (this.options.once === true && waiting + this.inbox.unsure === 0)
        return { done: this.done, failed: this.failed };
      const seconds = Math.min(this.inbox.pauseSeconds, Math.max(0.05, this.settleMs / 2000));
      await wait(1000 * seconds, undefined, { signal: this.signal });
    }
  }

  /** Recordings that have not changed for long enough, and how many are still changing. */
  private async look(): Promise<{ ready: string[]; waiting: number }> {
    const ready: string[] = [];
    let waiting = 0;
    const looks = await this.inbox.looks();
    const now = performance.now();
    const seen = new Map<string, { readonly look: string; readonly since: number }>();
    for (const name of [...looks.keys()].sort()) {
      const look = looks.get(name) ?? '';
      const before = this.seen.get(name);
      const isSame = before?.look === look;
      seen.set(name, isSame ? before : { look, since: now });
      if (this.settleMs === 0 || (isSame && now - before.since >= this.settleMs)) ready.push(name);
      else waiting += 1;
    }
    this.seen = seen;
    return { ready, waiting };
  }

  /** What an ended watcher had claimed. */
  private goOn(claim: Claim): Promise<void> {
    return this.unlessLost(claim, async () => {
      if (claim.isSettled) await this.forget(claim);
      else if (await this.results.isCommitted(claim.id)) await this.settle(claim);
      else await this.work(claim);
    });
  }

  /** Another watcher that took this one for dead does the rest. */
  private async unlessLost(claim: Claim, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (claim.lost?.aborted !== true) throw thrown;
      await this.results.drop(claim.id);
    }
  }

  private async work(claim: Claim): Promise<void> {
    const { id, name } = claim;
    this.tell({ type: 'begun', name });
    try {
      // Another file of that name is another recording.
      if (!(await this.make(claim))) return await this.giveBack(claim);
      await this.results.commit(id);
    } catch (thrown) {
      const error = EarshotError.from(thrown);
      await this.results.drop(id);
      // What a store that is away has got is not known: the claim stays for the watcher that comes next.
      if (claim.lost?.aborted === true || error.details?.['outage'] === true) throw thrown;
      // What the machine lacks is no fault of the recording, and every other one would fail alike.
      if (isAbortError(thrown) || this.signal.aborted || machineLacks(error) !== null) {
        await this.giveBack(claim);
        throw thrown;
      }
      await claim.settle('failed', `${error.code}: ${error.message}\n${error.nextAction}\n`);
      await this.forget(claim);
      this.failed += 1;
      this.tell({ type: 'failed', name, error });
      return;
    }
    await this.settle(claim);
  }

  private async giveBack(claim: Claim): Promise<void> {
    await this.results.forget(claim.id);
    await claim.giveBack();
  }

  /** false: the recording is not what was claimed. */
  private async make(claim: Claim): Promise<boolean> {
    const { id, name, lost } = claim;
    const { chainFor, format } = this.options;
    const signal = lost === null ? this.signal : AbortSignal.any([this.signal, lost]);
    const files = await claim.files(signal);
    if (files === null) return false;
    const chain = chainFor(files.length);
    const usual = `${basename(name, extname(name))}.${chain.name ?? 'chain'}`;
    const { folder, baseName } = await this.results.begin(id, usual);
    await runChain(this.engine, chain, files, {
      outputDir: folder,
      baseName,
      signal,
      onProgress: (progress) => this.tell({ type: 'progress', name, progress }),
      onWarning: (warning) => this.tell({ type: 'warning', name, warning }),
      ...(format === undefined ? {} : { format }),
    });
    return true;
  }

  /** Of committed results. The recording leaves its claim before what says that they are in place. */
  private async settle(claim: Claim): Promise<void> {
    const outputs = await this.results.putInPlace(claim.id);
    await claim.settle('done');
    await this.forget(claim);
    this.done += 1;
    this.tell({ type: 'done', name: claim.name, outputs });
  }

  private async forget(claim: Claim): Promise<void> {
    await this.results.forget(claim.id);
    await claim.end();
  }

  private tell(event: WatchEvent): void {
    this.options.onEvent?.(event);
  }
}
