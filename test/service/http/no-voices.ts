import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import type { Voices } from '../../../src/service/rules/voices/voices.ts';

const notHere = (): Promise<never> => Promise.reject(new EarshotError('not_found', 'There is no such voice'));

/** The voices of an account that has none. */
export const noVoices: Voices = {
  create: notHere,
  list: () => Promise.resolve([]),
  get: notHere,
  rename: notHere,
  remove: notHere,
};
