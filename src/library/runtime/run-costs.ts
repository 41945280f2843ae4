// What the stages of runs cost on this machine, by tool and codecs: learned in the user's cache folder, else as
// shipped.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { renameFile } from '../core/rename-file.ts';
import { usableCores } from '../core/machine.ts';
import {
  type ExpectedCosts,
  learnedCosts,
  learnedSeconds,
  type StageCosts,
  type TimedPass,
} from '../core/run-meter.ts';
import { cacheFolder } from '../models/folders.ts';
import { shippedCosts } from './shipped-costs.ts';

/** What the costs of a run depend on. */
export interface KindOfRun {
  readonly toolId: string;
  /** Names of the inputs. */
  readonly inputs: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Cores that the run may use. */
  readonly parallelism: number;
  /** Of all inputs together. */
  readonly bytes: number;
  /** Seconds of the inputs that are processed; null: all. */
  readonly windowSeconds: number | null;
}

/** A shorter run is mostly start-up. */
const leastSeconds = 0.5;
/** More kinds of runs than any user has; the oldest are dropped first. */
const mostKinds = 1000;
/** Options that are longer are texts, which differ from run to run. */
const longestOption = 40;

const extensionOf = (name: string): string => extname(basename(name)).slice(1).toLowerCase().slice(0, 8);

/** The most specific name first; unknown stages fall back to the next. */
function namesOf({ toolId, inputs, options, parallelism }: KindOfRun): [string, ...string[]] {
  const [main = ''] = inputs;
  const given = options['format'] ?? options['output_format'];
  const from = extensionOf(main);
  const to = typeof given === 'string' && given !== 'same' ? given : from;
  return [`${toolId} ${from}>${to} ${parallelism}`, `${toolId} ${from}>${to}`, `${toolId} >${to}`, toolId];
}

/** A window cuts the same out of every input. */
const sizeOf = ({ bytes, windowSeconds }: KindOfRun): number =>
  windowSeconds === null ? Math.max(bytes, 1) / 2 ** 20 : 1;

/** Of runs alike in everything that is known beforehand, with inputs within a factor of four: start-up counts alike. */
function nameOfAlike(kind: KindOfRun): string {
  const [codecs] = namesOf(kind);
  const size =
    kind.windowSeconds === null ? `4^${Math.round(Math.log2(sizeOf(kind)) / 2)} MiB` : `${kind.windowSeconds} s`;
  const options = Object.entries(kind.options)
    .filter(([, value]) => typeof value !== 'object' && JSON.stringify(value).length <= longestOption)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 8);
  return `${codecs} ${size} ${digest}`;
}

/** Costs by name: in units of their own for a kind of run, in seconds for each MiB or window for runs alike. */
type Book = Readonly<Record<string, StageCosts>>;

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isCosts = (value: unknown): value is StageCosts =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((cost: unknown) => {
    const { weight, count } = (cost ?? {}) as Record<string, unknown>;
    return isNumber(weight) && isNumber(count);
  });

/** By machine: a home folder may be shared by several. */
function bookPath(): string {
  const kind = [process.arch, cpus()[0]?.model ?? '', usableCores()].join(' ');
  return join(cacheFolder(), 'run-costs', `${createHash('sha256').update(kind).digest('hex').slice(0, 32)}.json`);
}

/** Invalid contents count as missing. */
async function readBook(path: string): Promise<Record<string, StageCosts>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, costs]) => isCosts(costs)));
  } catch {
    return {};
  }
}

const find = (book: Book, names: readonly string[]): StageCosts | null => {
  const name = names.find((each) => Object.hasOwn(book, each));
  return name === undefined ? null : (book[name] ?? null);
};

/** An engine's knowledge of the costs of its runs. */
export interface RunCosts {
  /** Of such a run: learned, else shipped; no stages where neither is known. */
  of(kind: KindOfRun): Promise<ExpectedCosts>;
  /** Learns from a run that ended well. Never fails: where nothing can be written, the result holds for this engine. */
  learn(kind: KindOfRun, passes: readonly TimedPass[]): Promise<void>;
  /** Resolves when everything learned is written. */
  close(): Promise<void>;
}

export function createRunCosts(): RunCosts {
  /** Learned by this engine, also where nothing can be written. */
  let learned: Record<string, StageCosts> = {};
  let reading: Promise<void> | null = null;
  let writing = Promise.resolve();
  const path = bookPath();
  const known = (): Promise<void> =>
    (reading ??= readBook(path).then((book) => void (learned = { ...book, ...learned })));

  const lookUp = (names: readonly string[]): StageCosts =>
    find(learned, names.slice(0, 2)) ?? find(shippedCosts, names) ?? find(learned, names) ?? {};

  async function write(): Promise<void> {
    const partial = `${path}.${process.pid}`;
    try {
      await mkdir(dirname(path), { recursive: true });
      // Another process may have learned something meanwhile.
      const all = Object.entries({ ...(await readBook(path)), ...learned });
      await writeFile(partial, JSON.stringify(Object.fromEntries(all.slice(-mostKinds))));
      await renameFile(partial, path);
    } catch {
      await rm(partial, { force: true }).catch(() => undefined);
    }
  }

  return {
    async of(kind) {
      await known();
      const alike = find(learned, [nameOfAlike(kind)]);
      if (alike !== null) return { stages: alike, secondsPerUnit: sizeOf(kind) };
      return { stages: lookUp(namesOf(kind)), secondsPerUnit: null };
    },
    async learn(kind, passes) {
      const seconds = passes.reduce((sum, pass) => sum + pass.seconds, 0);
      if (passes.length < 2 || seconds < leastSeconds) return;
      await known();
      // Last: the newest.
      const note = (name: string, costs: StageCosts): void => {
        const { [name]: _, ...rest } = learned;
        learned = { ...rest, [name]: costs };
      };
      const names = namesOf(kind);
      for (const name of new Set(names)) note(name, learnedCosts(find(learned, [name]) ?? lookUp(names), passes));
      const alike = nameOfAlike(kind);
      note(alike, learnedSeconds(find(learned, [alike]) ?? {}, passes, sizeOf(kind)));
      writing = writing.then(write);
      await writing;
    },
    close: () => writing,
  };
}
