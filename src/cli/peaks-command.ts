import { formatClock } from '../library/core/readable.ts';
import { Option, type Command } from 'commander';
import { isAbortError } from '../library/core/abort.ts';
import { EarshotError } from '../library/core/errors/errors.ts';
import { badValue } from '../library/core/checks/schema.ts';
import type { WaveformPeaks } from '../library/waveform/meter-peaks.ts';
import type { WaveformPictureOptions } from '../library/waveform/render.ts';
import type { SpectrogramOptions } from '../library/waveform/render-spectrogram.ts';
import { asFileError, refusePlace, withInput, writeTo } from './plain-files.ts';
import { nameOf, standardStream } from './tool/standard-streams.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { createDisplay } from './terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';

interface PeaksFlags {
  readonly png?: string;
  readonly spectrogram?: string;
  readonly width?: string;
  readonly height?: string;
  readonly axis?: boolean;
  readonly normalize?: boolean;
  readonly splitChannels?: boolean;
  readonly rms: boolean;
  readonly color?: string;
  readonly background?: string;
  readonly scale: 'log' | 'linear';
  readonly lowHz?: string;
  readonly highHz?: string;
  readonly topDb?: string;
  readonly rangeDb?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly overwrite?: boolean;
}

const examples = `
Examples:
  # A waveform for a web page: transparent, without an axis
  earshot peaks talk.mp3 --png talk.png
  # Both channels with a time axis, on white, the loudest sample at full height
  earshot peaks talk.wav --png talk.png --axis --split-channels --normalize --background "#ffffff"
  # The spectrogram, up to 8 kHz
  earshot peaks talk.wav --spectrogram talk.png --high-hz 8000`;

/** `earshot peaks`: waveform and spectrogram. */
export function definePeaks(command: Command, context: CommandContext): void {
  command
    .description(
      'Computes the waveform of a file, at 500, 50 and 5 bins a second, and draws it, or its spectrogram. The file ' +
        'is read once, whatever is drawn.',
    )
    .argument('<file>', 'a file; - is standard input')
    .option('--png <path>', 'draw the waveform (WebP when the name ends in .webp); - is standard output')
    .option('--spectrogram <path>', 'draw the spectrogram, likewise')
    .option('--width <pixels>', 'width of the pictures, 16 to 16384; of a spectrogram to 8192 (default: 1600)')
    .option('--height <pixels>', 'height of the pictures, 16 to 4096 (default: 320; of a spectrogram 640)')
    .option('--axis', 'draw axes: by default a spectrogram has them, a waveform has none')
    .option('--no-axis', 'draw no axes')
    .option('--split-channels', 'draw each channel by itself, one under the other')
    .option('--normalize', 'stretch the loudest sample of the waveform to full height')
    .option('--no-rms', 'draw only the peaks of the waveform, without a body of root mean square')
    .option('--color <#rrggbb>', 'colour of the waveform (default: #2f6fed)')
    .option('--background <#rrggbb>', 'colour behind the pictures (default: transparent; of a spectrogram #101014)')
    .addOption(
      new Option('--scale <name>', 'frequency axis of the spectrogram').choices(['log', 'linear']).default('log'),
    )
    .option('--low-hz <Hz>', 'bottom of the frequency axis (default: 40; 0 with --scale linear)')
    .option('--high-hz <Hz>', 'top of the frequency axis (default: half the sample rate, at most 24000)')
    .option('--top-db <dB>', 'level of the brightest colour, -200 to 20; 0 is a sine of full scale (default: 0)')
    .option('--range-db <dB>', 'how far the darkest colour is below it, 10 to 200 (default: 100)')
    .option(
      '-o, --output <path>',
      'write the peaks as JSON; data is Base64 of signed byte pairs, minimum and maximum; - is standard output',
    )
    .option('--json', 'write the peaks as JSON to stdout, after lines of progress')
    .option('-y, --overwrite', 'replace existing files')
    .addHelpText('after', examples)
    .action(async (file: string, flags: PeaksFlags) => context.finish(await runPeaks(file, flags, context.signal)));
}

async function runPeaks(file: string, flags: PeaksFlags, signal: AbortSignal): Promise<ExitCode> {
  const places = [flags.png, flags.spectrogram, flags.output].filter((path) => path !== undefined);
  const isAside = places.includes(standardStream);
  const display = createDisplay({ json: flags.json ?? false, aside: isAside });
  const subject = nameOf(file);
  try {
    if (isAside && (flags.json || places.length > 1))
      throw new EarshotError('bad_request', 'Expected - alone, without --json or another file', {
        nextAction: 'Standard output takes one result: name a file for the other.',
      });
    if (new Set(places).size < places.length)
      throw new EarshotError('bad_request', 'Expected a file of its own for each result but received one for several', {
        nextAction: 'Give waveform, spectrogram and JSON different names.',
      });
    const options = drawingOptions(flags);
    for (const path of places) if (path !== standardStream) refusePlace(path, file, flags.overwrite ?? false);
    const { drawAll } = await import('../library/waveform/draw.ts');
    const made = await withInput(file, signal, (path, name) =>
      drawAll(path, {
        ...options,
        signal,
        onProgress: (progress) => display.progress(name, progress),
      }),
    );
    if (flags.png !== undefined && made.waveform) await writeTo(flags.png, made.waveform);
    if (flags.spectrogram !== undefined && made.spectrogram) await writeTo(flags.spectrogram, made.spectrogram);
    const json = peaksJson(made.peaks);
    if (flags.output !== undefined) await writeTo(flags.output, `${JSON.stringify(json)}\n`);
    display.close();
    display.result(subject, { result: json }, describe(subject, places, made.peaks));
    return exitCodes.ok;
  } catch (thrown) {
    display.close();
    const error = asFileError(thrown);
    if (isAbortError(error)) display.note('earshot: interrupted');
    else display.error(subject, error);
    return exitCodeOf(error);
  } finally {
    display.close();
  }
}

function describe(
  subject: string,
  places: readonly string[],
  { durationSeconds, peak, levels }: WaveformPeaks,
): string {
  const written = places.map((path) => (path === standardStream ? 'standard output' : path));
  return (
    `${subject}${written.length === 0 ? ':' : ` -> ${written.join(', ')}:`} ` +
    `${formatClock(durationSeconds)}, loudest sample ${peak.toFixed(3)}, ` +
    levels.map(({ count, perSecond }) => `${count} bins at ${perSecond}/s`).join(', ')
  );
}

/** @throws EarshotError bad_request */
function drawingOptions(flags: PeaksFlags): { waveform?: WaveformPictureOptions; spectrogram?: SpectrogramOptions } {
  const { axis, color, background, splitChannels = false } = flags;
  const shared = {
    ...number('width', flags.width, 'whole number of pixels'),
    ...number('height', flags.height, 'whole number of pixels'),
    ...(axis === undefined ? {} : { axis }),
    ...(background === undefined ? {} : { background }),
    splitChannels,
  };
  const format = (path: string) => (path.toLowerCase().endsWith('.webp') ? ('webp' as const) : ('png' as const));
  const waveform = {
    ...shared,
    rms: flags.rms,
    normalize: flags.normalize ?? false,
    ...(color === undefined ? {} : { color }),
  };
  const spectrogram = {
    ...shared,
    scale: flags.scale,
    ...number('lowHz', flags.lowHz, 'number of Hz', 'low-hz'),
    ...number('highHz', flags.highHz, 'number of Hz', 'high-hz'),
    ...number('topDb', flags.topDb, 'number of dB', 'top-db'),
    ...number('rangeDb', flags.rangeDb, 'number of dB', 'range-db'),
  };
  return {
    ...(flags.png === undefined ? {} : { waveform: { ...waveform, format: format(flags.png) } }),
    ...(flags.spectrogram === undefined ? {} : { spectrogram: { ...spectrogram, format: format(flags.spectrogram) } }),
  };
}

/** @throws EarshotError bad_request */
function number<Name extends string>(
  name: Name,
  text: string | undefined,
  expected: string,
  flag: string = name,
): Partial<Record<Name, number>> {
  if (text === undefined) return {};
  const pattern = expected.startsWith('whole') ? /^\d+$/ : /^-?\d+(\.\d+)?$/;
  if (!pattern.test(text)) throw badValue(`--${flag}`, expected, text);
  return { [name]: Number(text) } as Partial<Record<Name, number>>;
}

function peaksJson({ durationSeconds, peak, levels }: WaveformPeaks): object {
  const encoded = levels.map(({ perSecond, count, data }) => ({
    perSecond,
    count,
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
  }));
  return { durationSeconds, peak, levels: encoded };
}
