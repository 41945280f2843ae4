// Decides where a run is done, and does it in this browser. Loaded by pages of tools that can.
import { bins, secondsOf } from './analyse.ts';
import type {
  BenchData,
  BenchInput,
  DeviceBench,
  HereItem,
  HereOrder,
  HereOrders,
  RunOutput,
  RunRecord,
  RunWarning,
} from '../bench-data.ts';
import { element } from '../ranges/panel.ts';
import { analyseWave, readWaveHead, waveSeconds } from '../wave-file.ts';
import type { Visited } from '../offline-data.ts';

/** What is chosen on the page, and what is told of it. */
export interface Asked {
  readonly form: HTMLFormElement;
  readonly data: BenchData;
  /** Public id of what is run. */
  readonly tool: string;
  readonly lists: readonly { readonly input: BenchInput; readonly list: readonly HereItem[] }[];
  options(): ReadonlyMap<string, unknown>;
  settingsOf(input: BenchInput, list: readonly HereItem[]): unknown;
  readonly here: { value: HereOrders | null | undefined };
}

/** Longer recordings go to the service, unless a person decides otherwise. */
const mostSeconds = 30 * 60;
/** What is no WAV is decoded on the disk, at most as 48 kHz stereo floats; and as much is written. */
const bytesPerSecond = 2 * 48_000 * 2 * 4;

type Where = 'here' | 'there';

let asked: Asked;
/** What the person has pressed; null: nothing. */
let wish: Where | null = null;
/** It has failed here, with these files. */
let hasFailed = false;
/** The items that were decided on, and what came of it. */
let decided: { readonly items: readonly HereItem[]; readonly where: Where | null } = { items: [], where: null };
let round = 0;
let panel: ReturnType<typeof makePanel> | undefined;

const itemsOf = ({ lists }: Asked): readonly HereItem[] => lists.flatMap(({ list }) => list);

/** Called with every change of what is chosen. */
export function decide(next: Asked): void {
  const isFirst = panel === undefined;
  asked = next;
  panel ??= makePanel(next);
  const keys = new Set(itemsOf(next).map(({ key }) => key));
  const isMore = decided.items.length > 0 && decided.items.every(({ key }) => keys.has(key));
  if (!isMore) hasFailed = false;
  // Until it is decided nothing is sent. What is on its way stays, since what it goes for is still there.
  if (decided.where !== 'there' || !isMore) next.here.value = undefined;
  if (isFirst) keepPage(next.data);
  // Options change what can be written here.
  if (isFirst) for (const event of ['input', 'change', 'click']) next.form.addEventListener(event, () => void settle());
  if (isFirst) for (const event of ['online', 'offline']) addEventListener(event, () => void settle());
  void settle();
}

/** So that it opens without a connection. Who saves data keeps nothing. */
function keepPage({ device, page, language }: BenchData): void {
  const { serviceWorker, connection } = navigator as Partial<Navigator> & {
    readonly connection?: { readonly saveData?: boolean };
  };
  if (!device?.offline || serviceWorker === undefined || connection?.saveData === true) return;
  const keep = async (): Promise<void> => {
    await serviceWorker.register(device.offline as string);
    const { active } = await serviceWorker.ready;
    const visited: Visited = { path: page, language };
    active?.postMessage(visited);
  };
  // Without it the page works as ever.
  void keep().catch(() => undefined);
}

async function settle(): Promise<void> {
  const mine = (round += 1);
  const now = asked;
  const items = itemsOf(now);
  const [notHere, better] = await reasonsOf(now, items);
  if (mine !== round || panel === undefined) return;
  const notThere = notThereOf(now, items);
  const usual = better === null ? 'here' : 'there';
  const where: Where | null =
    notHere !== null ? (notThere === null ? 'there' : null) : notThere !== null ? 'here' : (wish ?? usual);
  decided = { items, where };
  const { data, here } = now;
  const reason = where === null ? notThere : where === 'here' ? data.t.hereSaid : (notHere ?? (wish ? null : better));
  panel.show(items.length > 0, where, {
    here: notHere === null,
    there: notThere === null,
    said: reason ?? data.t.thereSaid,
  });
  // It stays the same one as long as it is done here.
  if (items.length === 0) here.value = undefined;
  else if (where !== 'here') here.value = where === null ? undefined : null;
  else here.value = (only) => orderOf(asked, only);
}

function makePanel({ form, data: { t } }: Asked) {
  const radio = (value: Where): HTMLInputElement => {
    const made = element('input', { type: 'radio', name: 'where', value });
    made.addEventListener('change', () => {
      wish = value;
      void settle();
    });
    return made;
  };
  const [here, there] = [radio('here'), radio('there')];
  const said = element('p', { className: 'small soft' });
  said.setAttribute('role', 'status');
  const choice = element(
    'div',
    { className: 'seg' },
    element('label', {}, here, t.here),
    element('label', {}, there, t.there),
  );
  const root = element(
    'fieldset',
    { className: 'pad stack-s where', hidden: true },
    element('legend', { className: 'sr' }, t.where),
    choice,
    said,
  );
  form.querySelector('#start')?.before(root);
  return {
    show(isShown: boolean, where: Where | null, can: { here: boolean; there: boolean; said: string }): void {
      root.hidden = !isShown;
      [here.checked, there.checked] = [where === 'here', where === 'there'];
      [here.disabled, there.disabled] = [!can.here, !can.there];
      said.textContent = can.said;
      const start = form.querySelector<HTMLButtonElement>('#start > button[type=submit]:only-child');
      if (start !== null) start.disabled = where === null;
    },
  };
}

/** Why the service cannot have it; null: it can. */
function notThereOf({ data }: Asked, items: readonly HereItem[]): string | null {
  const { t, device } = data;
  if (!navigator.onLine) return t.thereOffline;
  if (device?.orServer !== true) return t.needsAccount;
  const large = items.find(({ file }) => (file?.size ?? 0) > data.mostBytes);
  return large === undefined ? null : t.thereLarge.replace('{name}', large.name);
}

/** Why it is not done here: it cannot be; or it is better done by the service. */
type Reasons = readonly [notHere: string | null, better: string | null];

async function reasonsOf({ data, lists, options, tool }: Asked, items: readonly HereItem[]): Promise<Reasons> {
  const { t } = data;
  const device = data.device as DeviceBench;
  const not = (reason: string): Reasons => [reason, null];
  if (!(await canRun())) return not(t.notHereOld);
  if (items.some(({ file }) => file === null)) return not(t.notHereLink);
  const facts = await Promise.all(items.map(({ file }) => factsOf(file as File)));
  const unread = items.find((_, at) => facts[at]?.seconds === null);
  if (unread !== undefined) return not(t.notHereKind.replace('{name}', unread.name));
  const seconds = facts.map((each) => each.seconds ?? 0).reduce((sum, each) => sum + each, 0);
  const main = facts[items.findIndex((item) => item === lists[0]?.list[0])];
  if (!writesWave(device, options(), main?.isWave ?? false)) return not(t.notHereFormat);
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  if (seconds * bytesPerSecond > quota - usage) return not(t.notHereRoom);
  const better = hasFailed
    ? t.thereFailed
    : seconds > mostSeconds
      ? t.thereLong
      : device.isLighter && tool === device.tool
        ? t.thereLighter
        : null;
  return [null, better];
}

/** Nothing but WAV is written here. */
function writesWave({ format }: DeviceBench, options: ReadonlyMap<string, unknown>, isWave: boolean): boolean {
  if (format === null || options.get('dry_run') === true || options.get('find_only') === true) return true;
  const wanted = options.get(format) ?? 'same';
  return wanted === 'wav' || (wanted === 'same' && isWave);
}

let able: Promise<boolean> | undefined;

/** A module of WebAssembly with one instruction of SIMD. */
const simd = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];

/** WebAssembly with SIMD, workers, locks, and files of the page's own. */
function canRun(): Promise<boolean> {
  able ??= (async () =>
    WebAssembly.validate(Uint8Array.from(simd)) &&
    'Worker' in globalThis &&
    'locks' in navigator &&
    (await navigator.storage.getDirectory()) !== undefined)().catch(() => false);
  return able;
}

interface SoundFacts {
  readonly isWave: boolean;
  /** null: it cannot be read here. */
  readonly seconds: number | null;
}

const known = new WeakMap<File, Promise<SoundFacts>>();

function factsOf(file: File): Promise<SoundFacts> {
  const found = known.get(file) ?? lookAt(file);
  known.set(file, found);
  return found;
}

async function lookAt(file: File): Promise<SoundFacts> {
  const wave = await readWaveHead(file).catch(() => null);
  if (wave !== null) return { isWave: true, seconds: waveSeconds(wave) };
  if (!('AudioDecoder' in globalThis)) return { isWave: false, seconds: null };
  const url = URL.createObjectURL(file);
  const seconds = await secondsOf(url);
  URL.revokeObjectURL(url);
  return { isWave: false, seconds };
}

/** What of `earshot/browser` is used; its own types bring all of the library, which is written for Node. */
interface TabOutput {
  readonly file: File;
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly durationSeconds: number | null;
}
interface TabRun {
  readonly outputs: readonly TabOutput[];
  readonly result: object;
  readonly warnings: readonly RunWarning[];
  readonly processedSeconds: number;
  discard(): Promise<void>;
}
interface TabEngine {
  run(
    tool: string,
    inputs: Inputs,
    options: object,
    control: {
      readonly signal: AbortSignal;
      onProgress(at: Pick<RunRecord, 'progress' | 'stage' | 'estimatedSecondsLeft'>): void;
    },
  ): Promise<TabRun>;
}
type Inputs = Readonly<Record<string, File | readonly File[]>>;

let engine: Promise<TabEngine> | undefined;
let running = 0;
/** Their files lie on the disk. */
const ended: TabRun[] = [];

async function load({ engine: url }: DeviceBench): Promise<TabEngine> {
  const { createEngine } = (await import(url)) as { readonly createEngine: () => TabEngine };
  return createEngine();
}

function orderOf({ data, tool, lists, options, settingsOf }: Asked, only?: HereItem): HereOrder {
  // Results of earlier runs are not on the page any more.
  if (running === 0) for (const run of ended.splice(0)) void run.discard();
  const given: Record<string, unknown> = Object.fromEntries(options());
  const inputs: Record<string, File | readonly File[]> = {};
  for (const { input, list } of lists) {
    const items = list.filter((item) => only === undefined || item === only);
    const [first, ...others] = items.flatMap(({ file }) => file ?? []);
    if (first === undefined) continue;
    inputs[input.input] = input.multiple ? [first, ...others] : first;
    if (input.settings !== null) given[input.settings.option] = settingsOf(input, items);
  }
  return { here: () => begin(data, tool, inputs, given) };
}

function begin(
  { device, slug }: Pick<BenchData, 'device' | 'slug'>,
  tool: string,
  inputs: Inputs,
  options: object,
): RunRecord {
  const stop = new AbortController();
  const listeners = new Set<(run: RunRecord) => void>();
  let record: RunRecord = {
    id: '',
    tool,
    status: 'queued',
    progress: 0,
    stage: 'queued',
    estimatedSecondsLeft: null,
    outputs: [],
    processedSeconds: null,
    result: null,
    free: false,
    error: null,
    warnings: [],
    statusUrl: '',
    here: {
      watch(onChange) {
        listeners.add(onChange);
        onChange(record);
        return () => void listeners.delete(onChange);
      },
      cancel: () => stop.abort(),
      // At the file's own rate, as the engine measures: the browser decodes to the rate of the machine's sound.
      analyse: (file) => analyseWave(file, bins),
    },
  };
  const change = (changed: Partial<RunRecord>): void => {
    record = { ...record, ...changed };
    for (const tell of listeners) tell(record);
  };
  const act = async (): Promise<void> => {
    const started = (engine ??= load(device as DeviceBench));
    const run = await (
      await started
    ).run(tool, inputs, options, {
      signal: stop.signal,
      onProgress: ({ stage, ...progress }) =>
        change({ ...progress, stage, status: stage === 'queued' ? 'queued' : 'running' }),
    });
    ended.push(run);
    const { result, processedSeconds, warnings } = run;
    change({
      status: 'succeeded',
      outputs: (run.outputs.length > 0 ? run.outputs : [answerOf(run, inputs, slug)]).map(shown),
      result,
      processedSeconds,
      warnings,
    });
  };
  const fail = (thrown: unknown): void => {
    if (stop.signal.aborted) return change({ status: 'cancelled' });
    const { code, message } = thrown as { readonly code?: string; readonly message: string };
    // Without a code its files could not be loaded, which may pass.
    if (code === undefined) engine = undefined;
    else hasFailed = true;
    change({ status: 'failed', error: { code: code ?? 'connection', message } });
    return void settle();
  };
  running += 1;
  void act()
    .catch(fail)
    .finally(() => void (running -= 1));
  return record;
}

/** An answer alone is a file, too, named as the service names it (src/service/rules/worker/result-file.ts). */
function answerOf({ result }: TabRun, inputs: Inputs, slug: string): TabOutput {
  const [first] = Object.values(inputs).flat() as readonly File[];
  const stem = first?.name.replace(/\.[^.]*$/, '') ?? '';
  const filename = `${stem}.${slug}.json`;
  const contentType = 'application/json';
  const file = new File([`${JSON.stringify(result, null, 2)}\n`], filename, { type: contentType });
  return { file, filename, contentType, sizeBytes: file.size, durationSeconds: null };
}

const shown = ({ file, ...output }: TabOutput, at: number): RunOutput => ({
  ...output,
  id: String(at),
  hasAudio: output.contentType.startsWith('audio/'),
  hasVideo: false,
  url: URL.createObjectURL(file),
  file,
});
