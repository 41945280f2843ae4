import * as Type from 'typebox/type';
import type { Static, TSchema } from 'typebox/type';
import { customLufsRange } from '../../contract/loudness-target.ts';

/** The type of a tool's parsed options: defaults filled in, frozen. */
export type OptionsOf<Schema extends TSchema> = Readonly<Static<Schema>>;

/**
 * An option with a default. It is optional in the JSON Schema for callers and always present in the parsed options; the
 * static type describes the latter.
 */
export function defaulted<Schema extends TSchema & { readonly default?: unknown }>(schema: Schema): Schema {
  if (!('default' in schema)) throw new TypeError('defaulted() needs a schema with a default');
  return Type.Optional(schema);
}

/**
 * The format of an edited copy.
 * @param same describes the value `same`
 */
export const outputFormat = (
  same = "same keeps the input's format; a video stays a video",
): Type.TEnum<['same', 'wav', 'mp3', 'm4a', 'flac']> =>
  defaulted(Type.Enum(['same', 'wav', 'mp3', 'm4a', 'flac'], { default: 'same', description: same }));

/** The step of a plan that writes the format of `outputFormat`. */
export const writeStep = (format: string): string =>
  format === 'same' ? 'Write the sound in the format of the input' : `Write the sound as ${format}`;

/** The option for a custom `target`; see `checkCustomLufs`. */
export const customLufs = Type.Optional(
  Type.Number({ ...customLufsRange, description: 'Integrated loudness in LUFS; only with target custom' }),
);

/** The target loudness of a mix of voices, used with `customLufs`. */
export const voicesTarget = defaulted(
  Type.Enum(['podcast', 'streaming', 'broadcast', 'custom'], {
    default: 'podcast',
    description: 'podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs)',
  }),
);
