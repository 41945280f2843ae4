import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes } from './ports.ts';
import { waitFor } from './wait-for.ts';

/** One loop for each thing that somebody follows, whatever their number. */
export interface Watch<State> {
  /** Tells of every state after `known`, and of none after a final one. */
  follow(id: string, known: State, listener: Listener<State>): { readonly stop: () => void };
}

/** What there is to know of a state. */
export interface Watched<State> {
  load(id: string): Promise<State>;
  isSame(state: State, other: State): boolean;
  /** Was `state` true before `known` was? What people are shown never goes back. */
  isBehind(state: State, known: State): boolean;
  isFinal(state: State): boolean;
}

type Listener<State> = (state: State) => void;

interface Loop<State> {
  /** With what each was told last. */
  readonly listeners: Map<Listener<State>, State>;
  readonly ending: AbortController;
}

/** While the database is away. */
const tryAgainMs = 1000;
/** A look comes every second by itself; this is only how often the loop turns. */
const turnSeconds = 3600;

/** @param load never called twice at a time for one id */
export function createWatch<State>(
  changes: Changes,
  { load, isSame, isBehind, isFinal }: Watched<State>,
): Watch<State> {
  const watched = new Map<string, Loop<State>>();

  /** Whoever joined after a look began knows more than the look: they are not taken back. */
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
        // Nobody joins any more who would wait for what comes after the end.
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
