import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { StoredFile } from './stored-file.ts';

/** Request bodies being received by this process, counted together with the uploads at other APIs. */
export interface Arrivals {
  /**
   * Counts the body while `receive` reads it. A part that is sent again while it is still arriving replaces the earlier
   * one, whose connection is most likely broken.
   * @throws EarshotError upload_limit_reached at once; conflict (retryable) when replaced or stopped
   */
  take<Value>(
    file: StoredFile,
    part: number | null,
    signal: AbortSignal,
    receive: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value>;
  /**
   * Counts a request with several files in one body as one upload, until `leave`.
   * @throws EarshotError upload_limit_reached at once
   */
  enter(owner: string, filesAtOnce: number): { leave(): void };
  /** Number of uploads that arrive here, by owner. */
  counts(): ReadonlyMap<string, number>;
  /** @param elsewhere number of an owner's uploads that arrive at other APIs. Default: 0 */
  learn(elsewhere: (owner: string) => number): void;
  /** Stops all bodies of the file and resolves when they have ended. */
  stop(fileId: string): Promise<void>;
}

interface Arrival {
  readonly owner: string;
  readonly fileId: string;
  readonly part: number | null;
  stop(reason: EarshotError): void;
  readonly ended: Promise<void>;
}

/** Concurrent bodies per file: a few parts at a time upload fastest. */
const bodiesPerFile = 4;

/** @param filesAtOnce concurrent uploads of one account; all parts of a file count as one */
export function createArrivals(filesAtOnce: number): Arrivals {
  const arriving = new Set<Arrival>();
  let count = 0;
  let elsewhere = (_owner: string): number => 0;

  const admit = (owner: string, fileId: string, most = filesAtOnce): void => {
    const theirs = [...arriving].filter((one) => one.owner === owner);
    const files = new Set(theirs.map((one) => one.fileId)).add(fileId);
    // More bodies of a file that arrives here already are no further upload.
    const known = theirs.some((one) => one.fileId === fileId);
    const others = known ? 0 : elsewhere(owner);
    if (files.size + others <= most && theirs.length < most * bodiesPerFile) return;
    throw new EarshotError(
      'upload_limit_reached',
      `Expected at most ${most} uploads at the same time, with ${most * bodiesPerFile} request bodies in all`,
      { details: { limit: most } },
    );
  };

  return {
    async take(file, part, signal, receive) {
      const owner = file.accountId ?? file.id;
      const earlier = part === null ? [] : [...arriving].filter((one) => one.fileId === file.id && one.part === part);
      if (earlier.length === 0) admit(owner, file.id);
      const stopped = new AbortController();
      let end = (): void => {};
      const arrival: Arrival = {
        owner,
        fileId: file.id,
        part,
        stop: (reason) => stopped.abort(reason),
        ended: new Promise((resolve) => (end = resolve)),
      };
      arriving.add(arrival);
      try {
        for (const one of earlier) {
          one.stop(
            new EarshotError('conflict', `Part ${part} was sent again while it was arriving; the later one counts`, {
              retryable: true,
            }),
          );
          await one.ended;
        }
        const both = AbortSignal.any([signal, stopped.signal]);
        if (stopped.signal.aborted) throw stopped.signal.reason;
        return await receive(both);
      } catch (thrown) {
        throw stopped.signal.aborted ? stopped.signal.reason : thrown;
      } finally {
        arriving.delete(arrival);
        end();
      }
    },
    enter(owner, most) {
      count += 1;
      const fileId = `request ${count}`;
      admit(owner, fileId, most);
      const arrival: Arrival = { owner, fileId, part: null, stop: () => undefined, ended: Promise.resolve() };
      arriving.add(arrival);
      return { leave: () => void arriving.delete(arrival) };
    },
    counts() {
      const files = new Map<string, Set<string>>();
      for (const { owner, fileId } of arriving) files.set(owner, (files.get(owner) ?? new Set()).add(fileId));
      return new Map([...files].map(([owner, ids]) => [owner, ids.size]));
    },
    learn(counted) {
      elsewhere = counted;
    },
    async stop(fileId) {
      const theirs = [...arriving].filter((one) => one.fileId === fileId);
      for (const one of theirs) one.stop(new EarshotError('conflict', `The upload of ${fileId} was stopped`));
      await Promise.all(theirs.map((one) => one.ended));
    },
  };
}
