// Where recordings fall and where results go, for a watcher: folders, or prefixes of buckets. A recording is taken by
// one watcher alone; after a kill the next one goes on, and does nothing that was committed again.

/** What programs call files that they have not finished. */
const unfinished = /\.(?:part|partial|tmp|crdownload|download|!ut)$/i;

/** Where recordings go that have been done, or could not be. */
export type Aside = 'done' | 'failed';

/** Is something of this name in an inbox a recording, or a file of one? */
export const isRecordingName = (name: string): boolean =>
  name !== '' && !name.startsWith('.') && !unfinished.test(name) && name !== 'done' && name !== 'failed';

/** Does the name say that a program still writes it? */
export const isUnfinished = (name: string): boolean => unfinished.test(name);

/** A recording that this process works on. */
export interface Claim {
  /** Of letters and digits; another watcher that takes it over has the same. */
  readonly id: string;
  /** Of the recording. */
  readonly name: string;
  /** Was the recording set aside already? Then only traces are left. */
  readonly isSettled: boolean;
  /** Fires when another watcher has taken it over, which took this one for dead. null: none does so. */
  readonly lost: AbortSignal | null;
  /** Its files here, in the order of their names; null: they have changed. @throws EarshotError; AbortError */
  files(signal: AbortSignal): Promise<readonly string[] | null>;
  /** Sets the recording aside; of one that failed, with the reason beside it. */
  settle(aside: Aside, reason?: string): Promise<void>;
  /** Puts the recording back. */
  giveBack(): Promise<void>;
  /** Removes the last traces of a settled one, which lies aside from then on. */
  end(): Promise<void>;
}

/** Where recordings fall. */
export interface Inbox {
  /** The longest wait between two looks. */
  readonly pauseSeconds: number;
  /** @throws EarshotError bad_request, not_found, tool_unavailable where it cannot be used */
  open(): Promise<void>;
  /** Each recording, and how it looks: another text while it grows. */
  looks(): Promise<ReadonlyMap<string, string>>;
  /** null: another watcher was faster, or it is gone. */
  claim(name: string): Promise<Claim | null>;
  /** Takes over what ended watchers had claimed, one by one. */
  abandoned(): AsyncIterable<Claim>;
  /** How many claims of others may be of ended watchers, which only time tells. */
  readonly unsure: number;
}

/** Where results go. What belongs to a claim is told by its id. */
export interface Results {
  /** @throws EarshotError bad_request, not_found, tool_unavailable where it cannot be used */
  open(): Promise<void>;
  /**
   * Begins a claim's results.
   * @param usual the name that they begin with where it is free
   * @returns an empty folder of this machine, and the name
   */
  begin(id: string, usual: string): Promise<{ readonly folder: string; readonly baseName: string }>;
  /** From now on they count as done. @throws EarshotError */
  commit(id: string): Promise<void>;
  isCommitted(id: string): Promise<boolean>;
  /** Puts committed results where people look for them. @returns their places */
  putInPlace(id: string): Promise<readonly string[]>;
  /** Drops what is not committed from this machine. */
  drop(id: string): Promise<void>;
  /** Removes every trace but the results. */
  forget(id: string): Promise<void>;
}

/**
 * The first of `talk.wav`, `talk-2.wav`, `talk-3.wav` that is free.
 * @param stem "talk"
 * @param extension ".wav", or none
 */
export async function freeName(
  stem: string,
  extension: string,
  isFree: (name: string) => boolean | Promise<boolean>,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = `${stem}${number === 1 ? '' : `-${number}`}${extension}`;
    if (await isFree(name)) return name;
  }
}
