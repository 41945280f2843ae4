/** noise_reduction -> noise-reduction */
export const kebab = (name: string): string => name.replaceAll('_', '-');

/**
 * Options whose own name has another meaning on every command: --output is the destination, --dry-run shows what a
 * command would do.
 */
const otherNames: Readonly<Record<string, string>> = { output: 'pieces', dry_run: 'list-cuts' };

/** Letters that ffmpeg, sox and whisper have for the same. */
const letters: Readonly<Record<string, string>> = {
  format: 'f',
  output_format: 'f',
  language: 'l',
  target: 't',
  bitrate_kbps: 'b',
};

/** "-f, ", or nothing. */
export const shortOf = (name: string): string => (letters[name] === undefined ? '' : `-${letters[name]}, `);

/** The long flag of a tool's option. */
export const optionFlag = (name: string): string => `--${kebab(otherNames[name] ?? name)}`;
