import type { Warning } from '../../core/progress/progress.ts';

/** ITU-R BS.1770-5: loudness is measured in blocks of so many seconds. */
const blockSeconds = 0.4;

/**
 * Says why a sound's integrated loudness is null, and what follows.
 * @param what "The recording"
 * @param durationSeconds null where unknown
 * @param follows "the sound is unchanged"
 */
export function unmeasured(what: string, durationSeconds: number | null, follows: string): Warning {
  return durationSeconds !== null && durationSeconds < blockSeconds
    ? { code: 'too_short', message: `${what} is shorter than 0.4 s: its loudness cannot be measured, so ${follows}` }
    : { code: 'silent', message: `${what} is silent: its loudness cannot be measured, so ${follows}` };
}
