import * as Type from 'typebox/type';
import type { Static, TSchema } from 'typebox/type';
import { customLufsRange } from '../../contract/loudness-target.ts';

/** The type of a tool's parsed options: defaults filled in, frozen. */
export type OptionsOf<Schema extends TSchema> = Readonly<Static<Schema>>;

/**
 * An option that may be left out because its schema has a default. Optional in the JSON Schema that callers see,
 * present in the parsed options that the tool sees: the static type says the latter.
 */
export function defaulted<Schema extends TSchema & { readonly default?: unknown }>(schema: Schema): Schema {
  if (!('default' in schema)) throw new TypeError('defaulted() needs a schema with a default');
  return Type.Optional(schema);
}

/**
 * The format of an edited copy.
 * @param same what the choice `same` means, for whoever reads the schema
 */
export const outputFormat = (
  same = "same keeps the input's format; a video stays a video",
): Type.TEnum<['same', 'wav', 'mp3', 'm4a', 'flac']> =>
  defaulted(Type.Enum(['same', 'wav', 'mp3', 'm4a', 'flac'], { default: 'same', description: same }));

/** The step of a plan that writes what `outputFormat` chose. */
export const writeStep = (format: string): string =>
  format === 'same' ? 'Write the sound in the format of the input' : `Write the sound as ${format}`;

/** The option beside a `target`; `checkCustomLufs` says when it may be there. */
export const customLufs = Type.Optional(
  Type.Number({ ...customLufsRange, description: 'Integrated loudness in LUFS; only with target custom' }),
);

/** The loudness that a mix of voices ends in, beside `customLufs`. */
export const voicesTarget = defaulted(
  Type.Enum(['podcast', 'streaming', 'broadcast', 'custom'], {
    default: 'podcast',
    description: 'podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs)',
  }),
);
