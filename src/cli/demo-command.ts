import { withUnit } from '../library/core/readable.ts';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { parseTranscript } from '../library/contract/parse-transcript.ts';
import { samplePath } from '../library/core/files/sample.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import type { ToolRun } from '../library/runtime/engine/engine-types.ts';
import { requireTool } from '../library/tools/registry.ts';
import type { CommandContext } from './terminal/command-context.ts';
import type { Display } from './terminal/display.ts';
import { exitCodes, type ExitCode } from './terminal/exit.ts';
import { reporting } from './terminal/failed.ts';
import { describeRun } from './terminal/report.ts';

/** `earshot demo`: the sample, before and after. */
export function defineDemo(command: Command, context: CommandContext): void {
  command
    .option('-o, --output <folder>', 'where the results go; files of an earlier demo are replaced', './earshot-demo')
    .action(async (flags: { output: string }) => context.finish(await runDemo(resolve(flags.output), context.signal)));
}

async function runDemo(folder: string, signal: AbortSignal): Promise<ExitCode> {
  return reporting({ json: false, subject: 'demo' }, async (display) => {
    await mkdir(folder, { recursive: true });
    const recording = join(folder, 'talk.opus');
    await copyFile(samplePath, recording);
    await showTools(folder, recording, signal, display);
    return exitCodes.ok;
  });
}

/** A voice with um, uh, a pause and noise, before and after. */
async function showTools(folder: string, recording: string, signal: AbortSignal, display: Display): Promise<void> {
  const { createEngine } = await import('../library/runtime/engine/engine.ts');
  await using engine = createEngine({ concurrency: 1, prefork: true });
  const control = (subject: string) => ({
    outputDir: folder,
    overwrite: true,
    signal,
    onProgress: (progress: Parameters<Display['progress']>[1]) => display.progress(subject, progress),
    onWarning: (warning: Parameters<Display['warning']>[1]) => display.warning(subject, warning),
  });
  const draw = async (path: string, name: string): Promise<void> => {
    const { drawWaveform } = await import('../library/waveform/draw.ts');
    const picture = join(folder, name);
    await writeFile(picture, await drawWaveform(path, { signal, background: '#ffffff', axis: true }));
    display.result(path, {}, `${shortPath(path)} -> ${shortPath(picture)}`);
  };
  const step = (title: string): void => display.result(recording, {}, title);

  step('1. Measure and draw\n');
  const before = await engine.run('analyze_audio', recording, {}, control(recording));
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(before.result, null, 2)}\n`);
  display.result(recording, before, describeRun(shortPath(recording), before));
  await draw(recording, 'before.png');

  step('\n2. Remove the noise');
  const cleaned = await engine.run('remove_noise', recording, {}, control(recording));
  const clean = cleaned.outputs[0]?.path ?? recording;
  display.result(recording, cleaned, describeRun(shortPath(recording), cleaned));
  const after = await engine.run('analyze_audio', clean, {}, control(clean));
  const [floor, quiet] = [before, after].map(({ result }) => withUnit(result.levels.noiseFloorDbfs, 'dBFS'));
  step(`Between the words: ${floor} before, ${quiet} after`);

  const missing = await requireTool('remove_fillers').unavailable();
  if (missing === null) {
    step('\n3. Write down what is said, and cut out um and uh');
    const found = await engine.run('transcribe_audio', clean, { speaker_labels: false }, control(clean));
    step(`Before: ${await said(found, 'txt')}`);
    const cut = await engine.run('remove_fillers', clean, {}, control(clean));
    display.result(clean, cut, describeRun(shortPath(clean), cut));
    step(`After:  ${await said(cut, 'json')}`);
    await draw(cut.outputs[0]?.path ?? clean, 'after.png');
  } else step(`\n3. Transcripts and fillers: ${missing.message}. ${missing.nextAction}`);
  step(`\nThe results are in ${shortPath(folder) || '.'}: listen to talk.opus, then to the new files.`);
}

/** The text of a run's transcript, on one line. */
async function said({ outputs }: ToolRun<string>, format: 'txt' | 'json'): Promise<string> {
  const path = outputs.find((output) => output.format === format)?.path;
  if (path === undefined) return '';
  const content = await readFile(path, 'utf8');
  const text =
    format === 'txt'
      ? content
      : parseTranscript(content)
          .sentences.map((each) => each.text)
          .join(' ');
  return text.replaceAll(/\s+/g, ' ').trim();
}
