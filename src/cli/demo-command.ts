import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { isAbortError } from '../core/abort.ts';
import { createEngine } from '../runtime/engine.ts';
import { makeDemoClip } from '../serve/demo-clip.ts';
import { createDisplay, type Display } from './terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';
import { shortPath } from '../core/short-path.ts';
import { describeRun } from './terminal/report.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { packagePath } from '../core/running-files.ts';

/** Recordings that lie beside a checkout; a published package has none. */
const samplesFolder = packagePath('../shared/samples/');
const speechSample = join(samplesFolder, 'speech', 'sonnet001.mp3');
const secondSample = join(samplesFolder, 'speech', 'jfk.wav');

export function addDemoCommand(program: Command, context: CommandContext): void {
  program
    .command('demo')
    .description('Show what Earshot does with a recording: analyse, draw, set loudness, convert')
    .option('-o, --output <folder>', 'where the results go; files of an earlier demo are replaced', './earshot-demo')
    .action(async (flags: { output: string }) => context.finish(await runDemo(resolve(flags.output), context.signal)));
}

async function runDemo(folder: string, signal: AbortSignal): Promise<ExitCode> {
  const display = createDisplay({ json: false });
  try {
    await mkdir(folder, { recursive: true });
    const { first, second } = await recordings(folder);
    await showTools(folder, first, second, signal, display);
    return exitCodes.ok;
  } catch (thrown) {
    display.close();
    if (isAbortError(thrown)) display.note('earshot: interrupted; partial files were removed');
    else display.error('demo', thrown);
    return exitCodeOf(thrown);
  } finally {
    display.close();
  }
}

async function recordings(folder: string): Promise<{ first: string; second: string }> {
  if (existsSync(speechSample) && existsSync(secondSample)) return { first: speechSample, second: secondSample };
  const clip = join(folder, 'clip.wav');
  await writeFile(clip, makeDemoClip());
  return { first: clip, second: clip };
}

async function showTools(
  folder: string,
  first: string,
  second: string,
  signal: AbortSignal,
  display: Display,
): Promise<void> {
  await using engine = createEngine({ concurrency: 1, prefork: true });
  const control = (subject: string) => ({
    signal,
    onProgress: (progress: Parameters<Display['progress']>[1]) => display.progress(subject, progress),
    onWarning: (warning: Parameters<Display['warning']>[1]) => display.warning(subject, warning),
  });

  display.result(first, {}, '1. Analyse\n');
  const analysis = await engine.run('analyze_audio', first, {}, control(first));
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(analysis.result, null, 2)}\n`);
  display.result(first, analysis, describeRun(shortPath(first), analysis));

  display.result(first, {}, '\n2. Draw');
  const { peaks } = await import('../waveform/peaks.ts');
  const { renderWaveform } = await import('../waveform/render.ts');
  const picture = join(folder, 'waveform.png');
  await writeFile(picture, await renderWaveform(await peaks(first, { signal }), { background: '#ffffff' }));
  display.result(first, {}, `${shortPath(first)} -> ${shortPath(picture)}`);

  display.result(second, {}, '\n3. Set loudness for a podcast (-16 LUFS)');
  const loudness = await engine.run(
    'adjust_loudness',
    second,
    { target: 'podcast', output_format: 'wav' },
    { ...control(second), output: join(folder, 'podcast.wav'), overwrite: true },
  );
  display.result(second, loudness, describeRun(shortPath(second), loudness));

  const podcast = loudness.outputs[0]?.path ?? second;
  display.result(podcast, {}, '\n4. Convert to Opus at 48 kbit/s');
  const converted = await engine.run(
    'convert_audio',
    podcast,
    { format: 'opus', bitrate_kbps: 48 },
    { ...control(podcast), output: join(folder, 'podcast.opus'), overwrite: true },
  );
  display.result(podcast, converted, describeRun(shortPath(podcast), converted));

  display.result(
    folder,
    {},
    `\nThe results lie in ${shortPath(folder) || '.'}: report.json, waveform.png, podcast.wav, podcast.opus`,
  );
}
