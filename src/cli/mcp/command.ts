import type { Command } from 'commander';
import { allowedFolders } from './calls/allowed-folders.ts';
import { usualCalls } from '../../library/tools/assistant-groups.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import { exitCodes, type ExitCode } from '../terminal/exit.ts';
import { reporting } from '../terminal/failed.ts';

interface McpFlags {
  readonly allow?: readonly string[];
  readonly outputDir?: string;
  readonly tools?: string;
}

const examples = `
Examples:
  # For Claude Code: files of the podcast's folder, results beside them
  claude mcp add earshot -- earshot mcp --allow ~/podcast
  # Read recordings, write elsewhere
  earshot mcp --allow ~/recordings --output-dir ~/finished
  # Fewer tools, for a model with little room
  earshot mcp --tools words,convert`;

/** `earshot mcp`: the tools for assistants on this machine, over standard input and output. */
export function defineMcp(command: Command, context: CommandContext): void {
  command
    .description(
      'Speaks the Model Context Protocol over standard input and output, for the program that starts it: all tools ' +
        'on files of the allowed folders, without a service or an account. Results are written beside their inputs, ' +
        'and existing files are replaced only on request.',
    )
    .option('--allow <folders...>', 'folders whose files may be read and written beside (default: the current folder)')
    .option('--output-dir <folder>', 'write all results here; created when missing')
    .option(
      '--tools <list>',
      'which tools the assistant gets: usual (default), all, groups (clean, words, measure, cut, combine, convert, ' +
        'episode, labels) or names, with commas between them',
    )
    .addHelpText('after', examples)
    .action(async (flags: McpFlags) => context.finish(await runMcp(flags, context.signal)));
}

async function runMcp(flags: McpFlags, signal: AbortSignal): Promise<ExitCode> {
  // Standard output carries the protocol.
  return reporting({ json: false, quiet: true, aside: true }, async () => {
    const folders = await allowedFolders(flags.allow ?? ['.'], flags.outputDir ?? null);
    const { serveAssistant } = await import('./server.ts');
    await serveAssistant(folders, flags.tools ?? usualCalls, signal);
    return exitCodes.ok;
  });
}
