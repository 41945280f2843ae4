import { Option, type Command } from 'commander';
import { badValue } from '../library/core/checks/schema.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import type { Engine } from '../library/runtime/engine/engine-types.ts';
import type { WatchCounts, WatchEvent, WatchWork } from '../library/runtime/chains/watch.ts';
import { isBucket, openBucketInbox, openBucketResults, refuseWithin } from '../service/commands/watched-places.ts';
import { chainMaker } from './run-command.ts';
import type { CommandContext } from './terminal/command-context.ts';
import type { Display } from './terminal/display.ts';
import { exitCodes, type ExitCode } from './terminal/exit.ts';
import { reporting } from './terminal/failed.ts';

interface WatchFlags {
  readonly run: string;
  readonly output: string;
  readonly format?: string;
  readonly settle: string;
  readonly once?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  # Each recording that falls into inbox/ becomes an episode in finished/
  earshot watch inbox/ --run podcast -o finished/
  # From cron: what is there now, and no more
  earshot watch inbox/ --run my-chain.json -o finished/ --format mp3 --once
  # A bucket; a folder and a bucket go together, too
  earshot watch s3://bucket/inbox/ --run podcast -o s3://bucket/finished/`;

/** `earshot watch`: recordings fall in, finished files come out. */
export function defineWatch(command: Command, context: CommandContext): void {
  command
    .description(
      'Takes recordings that have stopped growing, runs a chain over each, puts what it makes into the output folder ' +
        'and the recording into done/, or into failed/ with the reason beside it. A folder with several files is one ' +
        'recording of several tracks. After a kill each is still done once.',
    )
    .argument('<inbox>', 'folder that recordings fall into, or s3://bucket/folder/')
    .requiredOption('--run <chain>', 'podcast, audiobook, subtitles, a saved chain, a JSON file with steps, or a tool')
    .requiredOption('-o, --output <folder>', 'where results go: a folder, or s3://bucket/folder/')
    .option('--format <name>', 'of the resulting sound: wav, mp3, m4a, flac, ogg, opus (default: as the recording)')
    .addOption(new Option('--settle <seconds>', 'how long a recording must not have changed').default('5'))
    .option('--once', 'end when everything that is there now has been done')
    .option('--json', 'write JSON lines to stdout')
    .addHelpText('after', examples)
    .action(async (inbox: string, flags: WatchFlags) => context.finish(await runWatch(inbox, flags, context.signal)));
}

async function runWatch(inbox: string, flags: WatchFlags, signal: AbortSignal): Promise<ExitCode> {
  return reporting({ json: flags.json ?? false, left: 'what was at work is in the inbox again' }, async (display) => {
    const settleSeconds = flags.settle.trim() === '' ? Number.NaN : Number(flags.settle);
    if (!(settleSeconds >= 0 && settleSeconds <= 86_400))
      throw badValue('settle', 'number between 0 and 86400', flags.settle);
    const { chainFor, format: usual } = await chainMaker(flags.run);
    const format = flags.format ?? usual;
    const { createEngine } = await import('../library/runtime/engine/engine.ts');
    await using engine = createEngine();
    const { failed } = await watchPlaces(engine, inbox, flags.output, {
      chainFor,
      settleSeconds,
      once: flags.once ?? false,
      signal,
      onEvent: (event) => report(display, event),
      ...(format === null ? {} : { format }),
    });
    return failed === 0 ? exitCodes.ok : exitCodes.failed;
  });
}

async function watchPlaces(engine: Engine, from: string, to: string, work: WatchWork): Promise<WatchCounts> {
  const { folderInbox, folderResults, watchFolder } = await import('../library/runtime/chains/watch-folder.ts');
  if (!isBucket(from) && !isBucket(to)) return watchFolder(engine, { inbox: from, finished: to, ...work });
  refuseWithin(from, to);
  const [{ loadConfig }, { watch }] = await Promise.all([
    import('../service/rules/settings/config.ts'),
    import('../library/runtime/chains/watch.ts'),
  ]);
  const config = loadConfig();
  const inbox = isBucket(from) ? await openBucketInbox(from, config) : folderInbox(from);
  const results = isBucket(to) ? await openBucketResults(to, config) : folderResults(to);
  return watch(engine, inbox, results, work);
}

function report(display: Display, event: WatchEvent): void {
  switch (event.type) {
    case 'begun':
      return;
    case 'progress':
      return display.progress(event.name, event.progress);
    case 'warning':
      return display.warning(event.name, event.warning);
    case 'failed':
      return display.error(event.name, event.error);
    case 'done':
      return display.result(
        event.name,
        { outputs: event.outputs },
        `${event.name} -> ${event.outputs.map(shortPath).join(', ')}`,
      );
  }
}
