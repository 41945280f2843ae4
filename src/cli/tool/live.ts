// `earshot transcribe - --live`: sentences of a stream that may never end.
import { count, formatSeconds } from '../../library/core/readable.ts';
import { appendFile, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Command } from 'commander';
import type { TranscriptSentence } from '../../library/contract/transcript.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { pathError } from '../../library/core/errors/file-errors.ts';
import { liveTextWriter } from '../../library/speech/transcript/write/live-text.ts';
import { transcribeStream } from '../../library/runtime/recipes/stream-transcription.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { exitCodes, type ExitCode } from '../terminal/exit.ts';
import { reporting } from '../terminal/failed.ts';
import { describePart } from '../terminal/speech-report.ts';
import { refuseExisting } from './destination.ts';
import { typedOptions } from './flags.ts';
import type { CommonFlags } from './pieces.ts';
import { rawForm, rawInput } from './raw.ts';
import { checkStandardInput, standardInputName, standardStream } from './standard-streams.ts';

/** Options that a stream can have. */
const followed: ReadonlySet<string> = new Set(['language', 'verbatim', 'translate', 'vocabulary']);
/** Not refused: it is what a stream has anyway. */
const isRefused = (name: string, value: unknown): boolean =>
  !followed.has(name) && !(name === 'speaker_labels' && value === false);

function checkLiveFlags(typed: Readonly<Record<string, unknown>>, flags: CommonFlags): void {
  const [refused] = Object.entries(typed).filter(([name, value]) => isRefused(name, value));
  const name = refused?.[0] ?? (flags.formats !== undefined ? 'formats' : flags.preset === undefined ? null : 'preset');
  if (name !== null)
    throw new EarshotError('bad_request', `Expected no --${name.replaceAll('_', '-')} with a stream but received one`, {
      nextAction: 'Leave it out, or record first and transcribe the file.',
      details: { field: name },
    });
}

/** Appends sentences to the file that -o names, in the format of its extension. */
function fileWriter(path: string, overwrite: boolean): (sentences: readonly TranscriptSentence[]) => Promise<void> {
  const format = extname(path).slice(1).toLowerCase();
  const text = liveTextWriter(format);
  if (text === null)
    throw new EarshotError(
      'bad_request',
      `Expected a name that ends in .srt, .vtt or .txt for -o but received ${path}`,
      {
        nextAction: 'Only these can grow while people speak.',
        details: { field: 'output', received: path },
      },
    );
  refuseExisting(path, overwrite);
  let begun = false;
  return async (sentences) => {
    const write = begun ? appendFile : writeFile;
    begun = true;
    await write(path, text(sentences)).catch((thrown: unknown) => {
      throw pathError(thrown, path, 'output');
    });
  };
}

/** @param signal Ctrl-C: what was said until then is still written */
export async function runLive(tool: AnyTool, command: Command, signal: AbortSignal): Promise<ExitCode> {
  const flags = command.opts<CommonFlags>();
  const shown = {
    json: flags.json ?? false,
    quiet: flags.quiet ?? false,
    verbose: flags.verbose ?? false,
  };
  const subject = standardInputName;
  return reporting({ ...shown, subject }, async (display) => {
    const typed = typedOptions(command, tool);
    checkLiveFlags(typed, flags);
    checkStandardInput([standardStream]);
    if (flags.model !== undefined) process.env['EARSHOT_RECOGNISER'] = flags.model;
    const options = tool.parseOptions(typed, 'text');
    const { output } = flags;
    const keep =
      output === undefined || output === standardStream ? null : fileWriter(output, flags.overwrite ?? false);
    await keep?.([]);
    let [sentences, words] = [0, 0];
    const onBehind = (seconds: number): void =>
      display.warning(subject, {
        code: 'slower_than_speech',
        message: `This machine reads slower than people speak: ${formatSeconds(seconds)} behind`,
      });
    const asked = Object.fromEntries(Object.entries(options).filter(([name]) => followed.has(name)));
    const source = flags.raw === undefined ? process.stdin : rawInput(standardStream, rawForm(flags.raw));
    for await (const sentence of transcribeStream(source, asked, {
      stop: signal,
      early: flags.early,
      onBehind,
    })) {
      sentences += 1;
      words += sentence.words.length;
      const part = { sentences: [sentence] };
      display.part(subject, part, describePart(structuredClone(part) as never));
      await keep?.([sentence as TranscriptSentence]);
    }
    const text = `${count(sentences, 'sentence')}, ${count(words, 'word')}`;
    if (flags.json) display.result(subject, { sentences, words }, text);
    else display.note(`earshot: the stream has ended: ${text}`);
    return exitCodes.ok;
  });
}
