// Which of several sound tracks a tool works on: an option of every tool, which the engine reads and no tool sees.
import type { OptionSchema } from '../../core/checks/schema.ts';

/** Its name. */
export const soundTrackName = 'track';

export const soundTrackPattern = '^(?:[1-9][0-9]{0,2}|[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)$';

/** A text in every door: "2" or "deu". */
export const soundTrackOption: OptionSchema = {
  type: 'string',
  maxLength: 35,
  pattern: soundTrackPattern,
  description: "The sound track: number from 1, or language (deu). Default: the file's own",
};

/** The track as the engine takes it: a number, or a language. */
export const soundTrackOf = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);

/** The track beside the options of the tool itself. */
export function splitSoundTrack<Options extends Readonly<Record<string, unknown>>>(
  options: Options,
): { readonly soundTrack?: number | string; readonly options: Omit<Options, typeof soundTrackName> } {
  const { [soundTrackName]: track, ...own } = options;
  return { options: own, ...(typeof track === 'string' ? { soundTrack: soundTrackOf(track) } : {}) };
}
