import type { MultiBar, SingleBar } from 'cli-progress';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { formatSeconds } from '../../library/core/readable.ts';
import type { Progress, Warning } from '../../library/core/progress/progress.ts';
import { errorLine } from './error-line.ts';
import { harmless } from './values.ts';
import { terminalWords } from './wording.ts';

/** How a command reports: progress bars on a terminal, JSON lines for programs, or nothing. */
export interface Display {
  progress(subject: string, progress: Progress): void;
  warning(subject: string, warning: Warning): void;
  /** A part of a result before its end; `text` for a terminal, `value` for programs. */
  part(subject: string, value: object, text: string): void;
  /** `text` for a terminal, `value` for programs. `isReport`: it is written nowhere else. */
  result(subject: string, value: object, text: string, isReport?: boolean): void;
  /** Nothing was done: the outputs exist already. */
  skipped(subject: string, outputs: readonly string[], text: string): void;
  /** What would be done. */
  plan(subject: string, value: object, text: string): void;
  error(subject: string | undefined, thrown: unknown): void;
  /** A line for the terminal only. */
  note(text: string): void;
  close(): void;
}

export interface DisplayOptions {
  /** JSON lines for programs. */
  readonly json: boolean;
  /** Only errors, and results that go into no file. Default false. */
  readonly quiet?: boolean;
  /** Also stages with their times, and where errors came from, on standard error. Default false. */
  readonly verbose?: boolean;
  /** Standard output is used by a result: all else goes to standard error. Default false. */
  readonly aside?: boolean;
}

export function createDisplay({ json, quiet = false, verbose = false, aside = false }: DisplayOptions): Display {
  const display = json ? createJsonDisplay() : createTextDisplay(quiet, aside ? process.stderr : process.stdout);
  return verbose ? sayingMore(display) : display;
}

/** Also reports on standard error when each stage of a run begins, and where an error came from. */
function sayingMore(display: Display): Display {
  const startedAt = performance.now();
  const stages = new Map<string, string>();
  const say = (text: string): void =>
    void process.stderr.write(`[${((performance.now() - startedAt) / 1000).toFixed(2)} s] ${text}\n`);
  return {
    ...display,
    progress(subject, progress) {
      if (stages.get(subject) !== progress.stage) {
        stages.set(subject, progress.stage);
        say(`${subject}: ${progress.stage}`);
      }
      display.progress(subject, progress);
    },
    result(subject, value, text, isReport) {
      display.result(subject, value, text, isReport);
      say(`${subject}: ${JSON.stringify(value)}`);
    },
    error(subject, thrown) {
      display.error(subject, thrown);
      const { code, details } = EarshotError.from(thrown);
      say(`${code} ${JSON.stringify(details ?? {})}`);
      for (let error: unknown = thrown; error instanceof Error; error = error.cause) say(error.stack ?? error.message);
    },
  };
}

/** One JSON object per line on stdout, distinguished by `type`: progress, warning, part, result, error. */
function createJsonDisplay(): Display {
  const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  return {
    progress: (file, progress) => write({ type: 'progress', file, ...progress }),
    warning: (file, warning) => write({ type: 'warning', file, ...warning }),
    part: (file, value) => write({ type: 'part', file, ...value }),
    result: (file, value) => write({ type: 'result', file, ...value }),
    skipped: (file, outputs) => write({ type: 'skipped', file, outputs }),
    plan: (file, value) => write({ type: 'plan', file, ...value }),
    error: (file, thrown) => write({ type: 'error', file: file ?? null, error: EarshotError.from(thrown).toJSON() }),
    note: () => undefined,
    close: () => undefined,
  };
}

function createTextDisplay(quiet: boolean, results: NodeJS.WriteStream): Display {
  // A dumb terminal cannot draw over what it has drawn.
  const onTerminal = process.stderr.isTTY && !quiet && process.env['TERM'] !== 'dumb';
  const bars = new Map<string, SingleBar>();
  let multi: MultiBar | undefined;

  const createBars = (): MultiBar => {
    // Loaded when a bar is drawn: most commands end sooner.
    const { MultiBar: Bars } = createRequire(import.meta.url)('cli-progress') as typeof import('cli-progress');
    return new Bars({
      format: '{file} [{bar}] {percentage}% {stage} {left}',
      stream: process.stderr,
      barCompleteChar: '=',
      barIncompleteChar: ' ',
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
      // We handle Ctrl-C: the jobs end first.
      gracefulExit: false,
    });
  };

  /** Bars and lines share the terminal: lines go above the bars. */
  const print = (stream: NodeJS.WriteStream, written: string): void => {
    const text = stream.isTTY ? harmless(written) : written;
    if (!multi || !stream.isTTY) {
      stream.write(`${text}\n`);
      return;
    }
    multi.log(`${text}\n`);
    // Logged lines appear only with the next drawing, and not at all when the bars stop first. `update` is missing in
    // the types.
    (multi as MultiBar & { update(): void }).update();
  };
  const stop = (): void => {
    multi?.stop();
    multi = undefined;
    bars.clear();
  };
  const drop = (subject: string | undefined): void => {
    const bar = subject === undefined ? undefined : bars.get(subject);
    if (!bar || subject === undefined) return;
    bars.delete(subject);
    if (bars.size === 0) stop();
    else multi?.remove(bar);
  };

  return {
    progress(subject, { progress, stage, estimatedSecondsLeft }) {
      if (!onTerminal || stage === 'queued' || stage === 'done') return;
      multi ??= createBars();
      let bar = bars.get(subject);
      if (!bar) {
        bar = multi.create(1, 0, { file: harmless(basename(subject)), stage, left: '' });
        bars.set(subject, bar);
      }
      const left = estimatedSecondsLeft === null ? '' : `${formatSeconds(estimatedSecondsLeft)} left`;
      bar.update(progress, { stage, left });
    },
    warning(subject, { message }) {
      if (!quiet) print(process.stderr, `earshot: ${subject}: warning: ${terminalWords(message)}`);
    },
    part: (_subject, _value, text) => print(results, text),
    result(subject, _value, text, isReport = false) {
      drop(subject);
      if (!quiet || isReport) print(results, text);
    },
    skipped(_subject, _outputs, text) {
      if (!quiet) print(process.stderr, text);
    },
    plan: (_subject, _value, text) => print(results, text),
    error(subject, thrown) {
      drop(subject);
      print(process.stderr, errorLine(thrown, subject));
    },
    note(text) {
      if (!quiet) print(process.stderr, text);
    },
    close: stop,
  };
}
