// A recording of this device: it is decoded and kept by the browser, and goes to the service only for a run.
import { nothingEdited } from '../../library/speech/word-edit/word-edit.ts';
import { newKey } from '../../client/keys.ts';
import { ownAddress } from '../account/requests.ts';
import { isRun, sendForm, type Sending } from '../tool/send.ts';
import type { GivenTranscript } from './doc.ts';
import { keepRecording, type KeptRecording, keptRecording, keyOf } from './device-store.ts';
import { data, t } from './page-data.ts';
import { type PeakLevel, PeakStore } from './peak-store.ts';
import { ask, failureOf, type JobAnswer, untilDone } from './requests.ts';
import { decoded } from './sound.ts';
import {
  Failure,
  type Rendered,
  type RenderOrder,
  type Running,
  type Saved,
  type Source,
  type StoredState,
  type Versions,
} from './source.ts';
import { wavLayout } from './wav.ts';

/** As in the free API's other pages: longer ones are not decoded in a tab. */
const mostDecodedSeconds = 20 * 60;
const usualRate = 48_000;
const levels = [5, 50, 500];

const sendingOf = ({ signal, onState }: Running): Sending => ({
  key: newKey(),
  signal,
  onSent: (share) => onState({ share: (share ?? 0) / 10, secondsLeft: null }),
});

/** The length by the browser's own player. @throws Failure: it cannot play it */
function lengthOf(url: string): Promise<{ readonly seconds: number; readonly hasVideo: boolean }> {
  return new Promise((resolve, reject) => {
    const element = document.createElement('video');
    element.preload = 'metadata';
    element.addEventListener('loadedmetadata', () =>
      resolve({ seconds: element.duration, hasVideo: element.videoWidth > 0 }),
    );
    element.addEventListener('error', () => reject(new Failure('unsupported_format', t.noWave)));
    element.src = url;
  });
}

/** null: too long to be decoded in a tab, or of an unknown codec. */
async function peaksOf(file: File, seconds: number, sampleRate: number): Promise<PeakStore | null> {
  if (file.size > 100_000_000 || seconds > mostDecodedSeconds) return null;
  const sound = await decoded(await file.arrayBuffer(), sampleRate);
  if (sound === null) return null;
  const made = levels.map((perSecond) => peaksAt(sound.planes, sound.sampleRate, perSecond));
  const peak = made.at(-1)?.reduce((most, value) => Math.max(most, Math.abs(value)), 0) ?? 0;
  return new PeakStore(
    levels.map((perSecond, at): PeakLevel => ({ perSecond, count: (made[at]?.length ?? 0) / 2 })),
    peak / 127,
    async ({ perSecond }, first, count) =>
      (made[levels.indexOf(perSecond)] ?? new Int8Array()).subarray(2 * first, 2 * (first + count)),
  );
}

export async function deviceSource(file: File, given: GivenTranscript | null): Promise<Source> {
  const url = URL.createObjectURL(file);
  const wav = wavLayout(await file.slice(0, 65_536).arrayBuffer(), file.size);
  const { seconds, hasVideo } = await lengthOf(url).catch((thrown: unknown) => {
    if (wav === null) throw thrown;
    return { seconds: wav.frames / wav.sampleRate, hasVideo: false };
  });
  const sampleRate = wav?.sampleRate ?? usualRate;
  const key = keyOf(file);
  const before = await keptRecording(key).catch(() => null);
  let kept: KeptRecording = {
    key,
    file,
    transcript: given ?? before?.transcript ?? null,
    edit: given === null ? (before?.edit ?? null) : null,
    version: before?.version ?? 0,
    at: Date.now(),
  };
  const keep = async (changes: Partial<KeptRecording>): Promise<void> => {
    kept = { ...kept, ...changes, at: Date.now() };
    await keepRecording(kept);
  };
  await keep({}).catch(() => undefined);
  const run = async (slug: string, fields: Readonly<Record<string, string>>, running: Running): Promise<JobAnswer> => {
    const form = new FormData();
    form.append('file', file, file.name);
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    // Only what the button says: an account with credits would be charged for all of it.
    if (data.available !== null) form.append('free', 'true');
    const answer = await sendForm(`${data.addresses.tries}/${slug}`, form, sendingOf(running));
    if (!isRun(answer)) throw failureOf(answer);
    const status = ownAddress(answer.statusUrl);
    return untilDone(
      () => ask<JobAnswer>(status),
      // A run of the free API is cancelled at its page.
      () => fetch(status.replace('/api/try/jobs/', '/runs/').replace('?', '/cancel?'), { method: 'POST' }),
      running,
    );
  };

  const written = async (done: JobAnswer): Promise<GivenTranscript> => {
    const text = done.outputs.find(({ format, filename }) => format === 'json' || filename.endsWith('.json'));
    if (text?.url === undefined) throw new Failure('no_transcript', t.cannot);
    const transcript = await ask<GivenTranscript>(ownAddress(text.url));
    await keep({ transcript, edit: null }).catch(() => undefined);
    return transcript;
  };

  return {
    name: file.name,
    frames: wav?.frames ?? Math.round(seconds * sampleRate),
    sampleRate,
    channels: wav?.channels ?? 2,
    hasVideo,
    bytes: file.size,
    url,
    isKept: false,
    begun: { text: null, render: null, rendered: null },

    peaks: () => peaksOf(file, seconds, sampleRate),

    read: (range) => (range === undefined ? file : file.slice(range[0], range[1] + 1)).arrayBuffer(),
    transcript: async () => kept.transcript,
    transcribe: async (running) => written(await run('transcribe', { format: 'json' }, running)),
    align: async (text, running) => written(await run('align-script', { format: 'json', text }, running)),
    stored: async () => stateOf(kept),
    fresh: async () => stateOf((await keptRecording(key)) ?? kept),

    async save(edit, history, version): Promise<Saved> {
      try {
        const now = await keptRecording(key);
        if (now !== null && now.version !== version && now.edit !== null && now.version > 0) {
          kept = { ...kept, version: now.version };
          const stored = stateOf(now);
          if (stored !== null) return { state: 'changed', stored };
        }
        await keep({ edit, history, version: version + 1 });
        return { state: 'saved', version: version + 1 };
      } catch {
        return { state: 'lost' };
      }
    },

    versions: versionsOf(() => kept, keep),

    async render(order, running): Promise<Rendered> {
      if (order.ranges.length > 100) throw tooMany(order);
      const done = await run('cut', fieldsOf(order), running);
      const [output] = done.outputs;
      if (output?.url === undefined) throw new Failure('no_output', t.cannot);
      return {
        url: ownAddress(output.url),
        filename: output.filename,
        bytes: output.sizeBytes,
        onlySeconds: (done.processedSeconds ?? seconds) < seconds - 0.1 ? done.processedSeconds : null,
        finishUrl: done.finishUrl ?? null,
      };
    },
  };
}

const fieldsOf = ({ ranges, mode, order, crossfadeMs }: RenderOrder): Readonly<Record<string, string>> => ({
  ranges: JSON.stringify(ranges),
  mode,
  order,
  crossfade_ms: String(crossfadeMs),
});
const tooMany = ({ ranges }: RenderOrder): Failure =>
  new Failure('limit_exceeded', t.tooMany.replace('{n}', String(ranges.length)));

/** Versions are kept beside the recording. */
function versionsOf(now: () => KeptRecording, keep: (changes: Partial<KeptRecording>) => Promise<void>): Versions {
  return {
    list: async () => ({ versions: now().versions ?? [], project: null }),
    add: async (name, versionSeconds) =>
      keep({
        versions: [
          ...(now().versions ?? []),
          {
            id: newKey(),
            name,
            seconds: versionSeconds,
            savedAt: new Date().toISOString(),
            edit: now().edit ?? nothingEdited,
            words: now().transcript,
          },
        ],
      }),
    async get(id) {
      const found = now().versions?.find((each) => each.id === id);
      if (found === undefined) throw new Failure('not_found', t.cannot);
      if (found.words === now().transcript || found.words === null) return { edit: found.edit, words: null };
      await keep({ transcript: found.words, edit: null });
      return { edit: found.edit, words: found.words };
    },
    remove: async (id) => keep({ versions: (now().versions ?? []).filter((each) => each.id !== id) }),
    removeAll: null,
  };
}

const stateOf = ({ edit, history = null, version }: KeptRecording): StoredState | null =>
  edit === null ? null : { edit: { ...nothingEdited, ...edit }, history, version, transcript: null };

/** Least and greatest sample of each bin over all channels, as signed bytes. */
function peaksAt(planes: readonly Float32Array[], sampleRate: number, perSecond: number): Int8Array {
  const frames = planes[0]?.length ?? 0;
  const bins = Math.ceil((frames * perSecond) / sampleRate);
  const peaks = new Int8Array(2 * bins);
  for (let bin = 0; bin < bins; bin++) {
    const end = Math.min(frames, Math.round(((bin + 1) * sampleRate) / perSecond));
    let [least, greatest] = [0, 0];
    for (const plane of planes)
      for (let frame = Math.round((bin * sampleRate) / perSecond); frame < end; frame++) {
        const sample = plane[frame] ?? 0;
        if (sample < least) least = sample;
        else if (sample > greatest) greatest = sample;
      }
    peaks[2 * bin] = Math.max(-128, Math.floor(least * 127));
    peaks[2 * bin + 1] = Math.min(127, Math.ceil(greatest * 127));
  }
  return peaks;
}
