import { pause } from './request.ts';

/** How a record is asked for again and again. */
export interface Polling<Value> {
  /** Asks for it. */
  look(signal: AbortSignal | undefined): Promise<Value>;
  /** Is it the last one? */
  hasEnded(value: Value): boolean;
  /** Called with each that is not the last. */
  onLook?(value: Value): void;
  readonly signal?: AbortSignal | undefined;
}

const firstPauseMs = 200;
const longestPauseMs = 2000;

/** Asks until it has ended, faster at first. @returns the last @throws the signal's reason */
export async function poll<Value>(
  { look, hasEnded, onLook, signal }: Polling<Value>,
  /** One that was seen already. */
  seen?: Value,
): Promise<Value> {
  let value = seen ?? (await look(signal));
  for (let pauseMs = firstPauseMs; !hasEnded(value); pauseMs = Math.min(longestPauseMs, pauseMs * 1.3)) {
    onLook?.(value);
    await pause(pauseMs, signal);
    value = await look(signal);
  }
  return value;
}
