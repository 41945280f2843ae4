// `earshot tags`: shows the tags of a recording, or copies it with other tags and another cover.
import type { Command } from 'commander';
import { EarshotError } from '../library/core/errors/errors.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import type { Warning } from '../library/core/progress/progress.ts';
import type { TagChanges } from '../library/media/write/set-tags.ts';
import { asFileError, placeOfCopy, withInput } from './plain-files.ts';
import { nameOf } from './tool/standard-streams.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { createDisplay } from './terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';

/** Flags for the tags that most recordings have, by the tags' names. */
const common = {
  title: 'title',
  artist: 'artist, or who speaks',
  album: 'album, or name of the show',
  date: 'year, or date as 2026-11-24',
  genre: 'genre',
  number: 'number of the track or episode',
  comment: 'comment',
} as const;
const tagOf: Readonly<Record<string, string>> = { number: 'track' };

type TagsFlags = Partial<Record<keyof typeof common, string>> & {
  readonly set?: readonly string[];
  readonly remove?: readonly string[];
  /** false: --no-cover. */
  readonly cover?: string | boolean;
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
};

export function defineTags(command: Command, context: CommandContext): void {
  command.argument('<file>', 'a file; - is standard input, to show its tags');
  for (const [name, description] of Object.entries(common)) command.option(`--${name} <text>`, description);
  command
    .option('--set <name=text...>', 'any other tag, such as composer="Clara Schumann"')
    .option('--remove <names...>', 'tags to leave out')
    .option('--cover <picture>', 'JPEG or PNG that becomes the cover')
    .option('--no-cover', 'leaves the cover out')
    .option('-o, --output <path>', 'the copy (default: beside the input, <name>.tags.<extension>)')
    .option('-y, --overwrite', 'replace an existing file')
    .option('--json', 'write the tags as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  # Title, show and cover of an episode\n' +
        '  earshot tags episode.mp3 --title "On walking" --album "Long talks" --cover cover.jpg -o episode-12.mp3',
    )
    .action(async (file: string, flags: TagsFlags) => context.finish(await runTags(file, flags, context.signal)));
}

/** null: nothing is to change. */
function changesOf(flags: TagsFlags): TagChanges | null {
  const tags: Record<string, string | null> = {};
  for (const name of Object.keys(common) as (keyof typeof common)[]) {
    const value = flags[name];
    if (value !== undefined) tags[tagOf[name] ?? name] = value;
  }
  for (const pair of flags.set ?? []) {
    const [name = '', ...rest] = pair.split('=');
    if (rest.length === 0)
      throw new EarshotError('bad_request', `Expected name=text for --set but received ${pair}`, {
        nextAction: 'Write it as --set composer="Clara Schumann".',
      });
    tags[name.trim()] = rest.join('=');
  }
  for (const name of flags.remove ?? []) tags[name] = null;
  const cover = flags.cover === false ? null : typeof flags.cover === 'string' ? flags.cover : undefined;
  if (Object.keys(tags).length === 0 && cover === undefined) return null;
  return { tags, ...(cover === undefined ? {} : { cover }) };
}

async function runTags(file: string, flags: TagsFlags, signal: AbortSignal): Promise<ExitCode> {
  const display = createDisplay({ json: flags.json ?? false });
  try {
    const changes = changesOf(flags);
    if (changes === null) {
      const { probe } = await import('../library/media/read/probe.ts');
      const { tags, cover } = await withInput(file, signal, (path) => probe(path));
      display.result(nameOf(file), { tags, cover }, listed(tags, cover && `${cover.width} x ${cover.height} pixels`));
      return exitCodes.ok;
    }
    const target = placeOfCopy(file, 'tags', flags);
    const { setTags } = await import('../library/media/write/set-tags.ts');
    const onWarning = (warning: Warning): void => display.warning(file, warning);
    const tags = await setTags(file, target, changes, { signal, onWarning });
    display.result(file, { path: target, tags }, `${shortPath(file)} -> ${shortPath(target)}\n${listed(tags, null)}`);
    return exitCodes.ok;
  } catch (thrown) {
    const error = asFileError(thrown);
    display.error(nameOf(file), error);
    return exitCodeOf(error);
  } finally {
    display.close();
  }
}

function listed(tags: Readonly<Record<string, string>>, cover: string | null): string {
  const width = Math.max(5, ...Object.keys(tags).map((name) => name.length));
  const lines = Object.entries(tags).map(([name, value]) => `${name.padEnd(width)}  ${value.replaceAll('\n', ' ')}`);
  if (cover !== null) lines.push(`${'cover'.padEnd(width)}  ${cover}`);
  return lines.length === 0 ? 'no tags' : lines.join('\n');
}
