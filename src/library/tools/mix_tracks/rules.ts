import type { Refusal } from '../../contract/tool-facts.ts';
import type { MixTracksOptions, TrackSetting } from './options.ts';

/** Settings must be given for every file or for none. */
export function refuseTracks(files: number, settings: MixTracksOptions['tracks']): Refusal | null {
  if (settings === undefined || settings.length === files) return null;
  return {
    code: 'bad_request',
    message: `Expected settings for each of the ${files} files in tracks but received ${settings.length}`,
  };
}

/** The setting of every file, in order. */
export const settingsOf = (files: number, settings: MixTracksOptions['tracks']): readonly TrackSetting[] =>
  settings ?? Array.from({ length: files }, () => ({ role: 'voice', volume_db: 0 }) as const);
