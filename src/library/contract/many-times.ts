/** What a job costs follows from what goes in: 200 times a minute of MP3 took a minute of a core and more. */
export const mostTimesOver = 2;

/** For errors; both in seconds. */
export const manyTimes = (expected: number, received: number): string =>
  `Expected passages of together at most twice the recording's length, ${expected.toFixed(3)} s, but received ` +
  `${received.toFixed(3)} s`;
