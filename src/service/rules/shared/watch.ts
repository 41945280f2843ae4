import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor, type Changes } from './wait-for.ts';

/** Follows records: one loop per record, shared by all its listeners. */
export interface Watch<State> {
  /** Calls the listener with every state after `known`, up to the final one. */
  follow(id: string, known: State, listener: Listener<State>): { readonly stop: () => void };
}

/** How to load and compare states. */
export interface Watched<State> {
  load(id: string): Promise<State>;
  isSame(state: State, other: State): boolean;
  /** Is `state` older than `known`? Listeners never go back. */
  isBehind(state: State, known: State): boolean;
  isFinal(state: State): boolean;
}

type Listener<State> = (state: State) => void;

interface Loop<State> {
  /** Each listener with its last state. */
  readonly listeners: Map<Listener<State>, State>;
  readonly ending: AbortController;
}

/** Pause after a failed load. */
const tryAgainMs = 1000;
/** Longest wait of one loop turn; `waitFor` loads every second anyway. */
const turnSeconds = 3600;

/** @param load never called concurrently for one id */
export function createWatch<State>(
  changes: Changes,
  { load, isSame, isBehind, isFinal }: Watched<State>,
): Watch<State> {
  const watched = new Map<string, Loop<State>>();

  /** Listeners for which `state` is new. One that joined during the load may know a newer state. */
  const news = ({ listeners }: Loop<State>, state: State): Listener<State>[] =>
    [...listeners].flatMap(([listener, last]) => (isSame(state, last) || isBehind(state, last) ? [] : [listener]));

  async function run(id: string, own: Loop<State>): Promise<void> {
    const { signal } = own.ending;
    while (!signal.aborted) {
      try {
        const state = await waitFor(
          changes,
          id,
          () => load(id),
          (found) => news(own, found).length > 0,
          turnSeconds,
          signal,
        );
        if (signal.aborted) return;
        // New listeners start a loop of their own.
        if (isFinal(state)) watched.delete(id);
        for (const listener of news(own, state)) {
          own.listeners.set(listener, state);
          listener(state);
        }
        if (isFinal(state)) return;
      } catch {
        await sleep(tryAgainMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  return {
    follow(id, known, listener) {
      const current = watched.get(id);
      const own: Loop<State> = current ?? { listeners: new Map(), ending: new AbortController() };
      own.listeners.set(listener, known);
      if (current === undefined) {
        watched.set(id, own);
        void run(id, own);
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
