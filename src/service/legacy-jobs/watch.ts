import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal, type LegacyStatus } from '../legacy-job-cases.ts';
import type { Changes } from '../ports.ts';
import { waitFor } from '../wait-for.ts';
import { isBehind, sameStatus } from './status.ts';

type Listener = (status: LegacyStatus) => void;

/** One loop for each job that somebody follows, whatever their number. */
export interface StatusWatch {
  /** Tells of every status after `known`, and of none after a final one. */
  follow(id: string, known: LegacyStatus, listener: Listener): { readonly stop: () => void };
}

interface Watched {
  /** With what each was told last. */
  readonly listeners: Map<Listener, LegacyStatus>;
  readonly ending: AbortController;
}

/** While the database is away. */
const tryAgainMs = 1000;
/** A look comes every second by itself; this is only how often the loop turns. */
const turnSeconds = 3600;

/** @param load null: the job is not known any more */
export function createStatusWatch(changes: Changes, load: (id: string) => Promise<LegacyStatus | null>): StatusWatch {
  const watched = new Map<string, Watched>();
  const gone: LegacyStatus = { state: 'failed', reason: 'The job is not known any more' };

  /** Whoever joined after a look began knows more than the look: they are not taken back. */
  const news = ({ listeners }: Watched, status: LegacyStatus): Listener[] =>
    [...listeners].flatMap(([listener, last]) =>
      sameStatus(status, last) || isBehind(status, last) ? [] : [listener],
    );

  async function loop(id: string, own: Watched): Promise<void> {
    const { signal } = own.ending;
    while (!signal.aborted) {
      try {
        const status = await waitFor(
          changes,
          id,
          async () => (await load(id)) ?? gone,
          (found) => news(own, found).length > 0,
          turnSeconds,
          signal,
        );
        if (signal.aborted) return;
        // Nobody joins any more who would wait for what comes after the end.
        if (isFinal(status)) watched.delete(id);
        for (const listener of news(own, status)) {
          own.listeners.set(listener, status);
          listener(status);
        }
        if (isFinal(status)) return;
      } catch {
        await sleep(tryAgainMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  return {
    follow(id, known, listener) {
      const current = watched.get(id);
      const own: Watched = current ?? { listeners: new Map(), ending: new AbortController() };
      own.listeners.set(listener, known);
      if (current === undefined) {
        watched.set(id, own);
        void loop(id, own);
      }
      return {
        stop() {
          own.listeners.delete(listener);
          if (own.listeners.size > 0) return;
          own.ending.abort();
          if (watched.get(id) === own) watched.delete(id);
        },
      };
    },
  };
}
