// The files of a recipe's page: chosen, looked at, sent to the account of who is signed in.
import { computed, effect, signal, untracked } from '@preact/signals';
import type { FileRecord } from '../../client/api-types.ts';
import { ask, type Problem, problemOf, requests } from '../account/requests.ts';
import type { UploadState } from '../account/upload.ts';
import type { Peaks } from '../peaks.ts';
import type { RecipeData } from '../recipe-data.ts';
import { fill, pageData, shownBytes } from '../ui.tsx';
import type { Draw } from '../waveform.ts';
import { type Role, roleByName } from './roles.ts';

export const data = pageData<RecipeData>();
export const { texts } = data;
export const isOwn = data.available !== null;

export interface Track {
  readonly key: number;
  readonly name: string;
  /** null: it is in the account already. */
  readonly file: File | null;
  readonly role: Role;
  /** Was the role found in the name, and not corrected since? */
  readonly isGuess: boolean;
  /** To play it. */
  readonly url: string;
}

/** What is known of a track's sound. */
export interface Sound {
  /** null until it is known. */
  readonly seconds: number | null;
  readonly lufs: number | null;
  /** null: it cannot be drawn yet. */
  readonly peaks: Peaks | null;
}

export type Arrival =
  | { readonly name: 'waiting' }
  | UploadState
  | { readonly name: 'ready'; readonly file: FileRecord }
  | { readonly name: 'failed'; readonly problem: Problem };

export const tracks = signal<readonly Track[]>([]);
/** By key of the track. */
export const sounds = signal<Readonly<Record<number, Sound>>>({});
export const arrivals = signal<Readonly<Record<number, Arrival>>>({});
export const complaint = signal('');
export const draw = signal<Draw | null>(null);
/** Of the longest track, seconds. */
export const longest = computed(() => Math.max(0, ...tracks.value.map(({ key }) => sounds.value[key]?.seconds ?? 0)));

let keys = 0;
let looking: Promise<unknown> = Promise.resolve();
let sending: Promise<unknown> = Promise.resolve();
const under = new Map<number, AbortController>();

const know = (key: number, sound: Partial<Sound>): void => {
  const before = sounds.value[key] ?? { seconds: null, lufs: null, peaks: null };
  sounds.value = { ...sounds.value, [key]: { ...before, ...sound } };
};
const arrive = (key: number, arrival: Arrival): void => void (arrivals.value = { ...arrivals.value, [key]: arrival });

/** Adds files, up to as many as the recipe takes. @param kept roles of them, from before a sign-in */
export function bring(files: readonly File[], kept: readonly Role[] = []): void {
  complaint.value = '';
  const fitting = files.filter(({ name, size }) => {
    const isFine = size <= data.mostBytes && size > 0;
    if (!isFine)
      complaint.value = fill(size === 0 ? data.t.empty : data.t.tooLargeOwn, {
        name,
        size: shownBytes(size, data.language),
        most: shownBytes(data.mostBytes, data.language),
      });
    return isFine;
  });
  // A recipe of one file takes the last.
  const before = data.maxFiles === 1 && fitting.length > 0 ? [] : tracks.value;
  const room = data.maxFiles - before.length;
  if (fitting.length > room)
    complaint.value = fill(texts.tooMany, {
      n: data.maxFiles,
      names: fitting
        .slice(room)
        .map(({ name }) => name)
        .join(', '),
    });
  const added = fitting.slice(0, room).map((file, at): Track => {
    const guess = data.hasRoles ? roleByName(file.name) : null;
    const url = URL.createObjectURL(file);
    const role = kept[at] ?? guess ?? 'voice';
    return { key: (keys += 1), name: file.name, file, role, isGuess: kept[at] === undefined && guess !== null, url };
  });
  tracks.value = [...before, ...added];
  for (const track of added) lookAt(track);
}

/** Files that the account has already. */
export function bringOwn(files: readonly FileRecord[]): void {
  const added = files.slice(0, data.maxFiles - tracks.value.length).map((file): Track => {
    const guess = data.hasRoles ? roleByName(file.filename) : null;
    const key = (keys += 1);
    arrive(key, { name: 'ready', file });
    know(key, { seconds: file.durationSeconds });
    const url = `${data.addresses.files}/${file.id}/content`;
    return { key, name: file.filename, file: null, role: guess ?? 'voice', isGuess: guess !== null, url };
  });
  tracks.value = [...tracks.value, ...added];
  for (const track of added) lookAt(track);
}

export const remove = ({ key, url }: Track): void => {
  URL.revokeObjectURL(url);
  tracks.value = tracks.value.filter((track) => track.key !== key);
};

export const setRole = ({ key }: Track, role: Role): void =>
  void (tracks.value = tracks.value.map((track) => (track.key === key ? { ...track, role, isGuess: false } : track)));

const analyser = (): Promise<typeof import('../islands/analyse.ts')> =>
  import(data.addresses.analyse) as Promise<typeof import('../islands/analyse.ts')>;

/** Draws and measures a track in the browser: one after the other, since a decoded sound takes much memory. */
function lookAt({ key, file, url }: Track): void {
  const isGone = (): boolean => tracks.value.every((track) => track.key !== key);
  const look = async (): Promise<void> => {
    if (isGone()) return;
    try {
      const script = await analyser();
      draw.value = script.draw;
      const { secondsOf, analyse } = script;
      const seconds = await secondsOf(url);
      if (seconds !== null) know(key, { seconds });
      const record = readyFile(key);
      const sound = file ?? (record && { url, bytes: record.sizeBytes ?? 0, peaks: peaksUrl(record.id) });
      const found = sound === null ? null : await analyse(sound, null);
      if (found === null) return;
      const { peaks, measured } = found;
      know(key, {
        peaks,
        lufs: measured?.integratedLufs ?? null,
        ...(seconds === null && measured !== null ? { seconds: measured.seconds } : {}),
      });
    } catch {
      // It is only not drawn.
    }
  };
  looking = looking.then(look);
}

const peaksUrl = (id: string): string => `${data.addresses.api}/files/${id}/peaks`;

/** What the browser could not draw is drawn from the peaks of the service. */
async function drawFromService(key: number, { id }: FileRecord, url: string): Promise<void> {
  if (sounds.value[key]?.peaks) return;
  const { analyse, draw: drawing } = await analyser();
  draw.value = drawing;
  const found = await analyse({ url, bytes: Infinity, peaks: peaksUrl(id) }, null);
  if (found !== null) know(key, { peaks: found.peaks });
}

export const readyFile = (key: number): FileRecord | null => {
  const found = arrivals.value[key];
  return found?.name === 'ready' ? found.file : null;
};

/** Sends a file to the account. They go one after the other: the first is there soonest. */
function send({ key, file }: Track & { readonly file: File }): void {
  const control = new AbortController();
  const { signal: stop } = control;
  under.set(key, control);
  arrive(key, { name: 'waiting' });
  const act = async (): Promise<void> => {
    if (stop.aborted) return;
    try {
      const { upload } = (await import(data.addresses.upload)) as typeof import('../islands/upload.ts');
      const onState = (state: UploadState): void => arrive(key, state);
      const sent = await upload(file, { requests, api: data.addresses.api, signal: stop, onState });
      arrive(key, { name: 'ready', file: sent });
      know(key, { seconds: sent.durationSeconds });
      void drawFromService(key, sent, `${data.addresses.files}/${sent.id}/content`).catch(() => undefined);
    } catch (thrown) {
      if (!stop.aborted) arrive(key, { name: 'failed', problem: problemOf(thrown) });
    } finally {
      under.delete(key);
    }
  };
  sending = sending.then(act);
}

/** Of who is signed in: what is chosen is sent, what is taken away is stopped. */
export function keepSending(): void {
  if (!isOwn) return;
  effect(() => {
    const list = tracks.value;
    untracked(() => {
      for (const track of list)
        if (track.file !== null && arrivals.value[track.key] === undefined) send({ ...track, file: track.file });
      for (const [key, control] of under) if (list.every((track) => track.key !== key)) control.abort();
    });
  });
}

export const isArriving = (): boolean =>
  tracks.value.some(({ key }) => ['waiting', 'sending'].includes(arrivals.value[key]?.name ?? ''));

/** Files of the account, by their ids. */
export const recordsOf = (ids: readonly string[]): Promise<readonly FileRecord[]> =>
  Promise.all(ids.map((id) => ask<FileRecord>(`${data.addresses.api}/files/${encodeURIComponent(id)}`)));
