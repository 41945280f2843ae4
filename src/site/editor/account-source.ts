// A recording of an account: sound, peaks, words and state come from the service, with the session of the person.
import type { PackedHistory } from '../../library/speech/word-edit/packed-history.ts';
import { nothingEdited, type WordEdit } from '../../library/speech/word-edit/word-edit.ts';
import type { EditorFile } from '../editor-data.ts';
import type { GivenTranscript } from './doc.ts';
import { data } from './page-data.ts';
import { PeakStore } from './peak-store.ts';
import { ask, type JobAnswer, untilDone } from './requests.ts';
import {
  Failure,
  type Rendered,
  type Running,
  type Saved,
  type ShareLink,
  type Shares,
  type Source,
  type StoredState,
  type Versions,
} from './source.ts';

interface Peaks {
  readonly status: 'processing' | 'ready' | 'none';
  readonly peak: number | null;
  readonly levels: readonly { readonly perSecond: number; readonly count: number }[];
  readonly bins: { readonly data: string } | null;
}

interface Window extends GivenTranscript {
  readonly nextFromSeconds: number | null;
}

/** Of a transcript, in one request: an hour with every word is about a megabyte. */
const windowSeconds = 3600;

/** Waits for the end of a job. */
const ended = (id: string, running: Running): Promise<JobAnswer> =>
  untilDone(
    () => ask<JobAnswer>(`${data.addresses.api}/jobs/${id}`),
    () => ask(`${data.addresses.api}/jobs/${id}/cancel`, { method: 'POST' }),
    running,
  );

/** All words of a transcript, window by window. */
async function words(id: string): Promise<GivenTranscript> {
  const windows: Window[] = [];
  for (let from: number | null = 0; from !== null;) {
    const query = new URLSearchParams({ from: String(from), to: String(from + windowSeconds), detail: 'full' });
    const window: Window = await ask<Window>(`${data.addresses.api}/files/${id}/transcript?${query.toString()}`);
    windows.push(window);
    from = window.nextFromSeconds;
  }
  // A sentence across the border of two windows is in both.
  const seen = new Set<string>();
  const sentences = windows
    .flatMap((window) => window.sentences)
    .filter((sentence) => {
      const mark = `${sentence.startSeconds} ${sentence.words?.length ?? 0} ${sentence.speaker}`;
      return !seen.has(mark) && seen.add(mark);
    });
  // A sound that goes on is in each window.
  const events = new Map(
    windows.flatMap((window) => window.events ?? []).map((event) => [`${event.sound} ${event.startSeconds}`, event]),
  );
  return { ...(windows[0] as Window), sentences, events: [...events.values()] };
}

/** null: there is no sound to draw. */
async function peaksOf(id: string): Promise<PeakStore | null> {
  const look = (query: object): Promise<Peaks> =>
    ask<Peaks>(
      `${data.addresses.api}/files/${id}/peaks?${new URLSearchParams(query as Record<string, string>).toString()}`,
    );
  let found = await look({ wait: '20' });
  while (found.status === 'processing') found = await look({ wait: '40' });
  if (found.status === 'none') return null;
  return new PeakStore(found.levels, found.peak ?? 1, async ({ perSecond }, first, count) => {
    const { bins } = await look({ level: String(perSecond), first: String(first), count: String(count) });
    return Int8Array.from(atob(bins?.data ?? ''), (letter) => letter.charCodeAt(0));
  });
}

async function bytesOf(url: string, range?: Parameters<Source['read']>[0]): Promise<ArrayBuffer> {
  const headers: HeadersInit = range === undefined ? {} : { range: `bytes=${range[0]}-${range[1]}` };
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Failure(String(answer.status), answer.statusText);
  return answer.arrayBuffer();
}

export function accountSource(file: EditorFile): Source {
  const { editor } = data.addresses;
  const own = `${editor}/${file.id}`;
  let transcriptFileId = file.transcriptFileId;

  /** The service makes one job of the same order, so that no press is paid twice. */
  const order = async (what: 'transcript' | 'render', json: object): Promise<string> =>
    (await ask<JobAnswer>(`${own}/${what}`, { method: 'POST', json })).id;

  const textOf = async (job: string, running: Running): Promise<GivenTranscript> => {
    const done = await ended(job, running);
    const text = done.outputs.find(({ format, filename }) => format === 'json' || filename.endsWith('.json'));
    if (text === undefined) throw new Failure('no_transcript', 'The job made no transcript');
    transcriptFileId = text.id;
    return words(text.id);
  };

  const renderedBy = async (job: string, running: Running, ranges: unknown): Promise<Rendered> => {
    const done = await ended(job, running);
    const [output] = done.outputs;
    if (output === undefined) throw new Failure('no_output', 'The job made no file');
    return {
      // Asked for when it is wanted: links are short-lived.
      url: `${editor}/${output.id}/sound?download`,
      filename: output.filename,
      bytes: output.sizeBytes,
      onlySeconds: done.free && (done.processedSeconds ?? 0) < file.seconds - 0.1 ? done.processedSeconds : null,
      finishUrl: null,
      of: { fileId: output.id, ranges },
    };
  };
  const { text, render } = file.jobs;

  return {
    name: file.name,
    frames: Math.round(file.seconds * file.sampleRate),
    sampleRate: file.sampleRate,
    channels: file.channels,
    hasVideo: file.hasVideo,
    bytes: file.bytes,
    url: `${own}/sound`,
    isKept: true,

    peaks: () => peaksOf(file.id),

    read: (range) => bytesOf(`${own}/sound`, range),
    transcript: async () => (transcriptFileId === null ? null : words(transcriptFileId)),

    otherWords: words,
    transcribe: async (running) => textOf(await order('transcript', { script: null }), running),
    align: async (script, running) => textOf(await order('transcript', { script }), running),

    async stored() {
      const { edit } = file;
      // An edit numbers the words of its own transcript.
      if (edit === null) return null;
      const isOfThese = edit.transcriptFileId === transcriptFileId;
      return isOfThese ? read(edit) : { ...read(edit), edit: nothingEdited, history: null };
    },

    async fresh() {
      const { edit } = await ask<{ readonly edit: EditorFile['edit'] }>(`${own}/state`);
      return edit === null ? null : read(edit);
    },

    async save(edit, history, version): Promise<Saved> {
      try {
        const body = { version, transcriptFileId, state: edit, history };
        const saved = await ask<{ readonly version: number }>(`${own}/state`, { method: 'PUT', json: body });
        return { state: 'saved', version: saved.version };
      } catch (thrown) {
        if (!(thrown instanceof Failure)) throw thrown;
        if (thrown.code === 'unauthorized') return { state: 'ended' };
        if (thrown.code !== 'conflict') return { state: 'lost' };
        const stored = await ask<{ readonly edit: NonNullable<EditorFile['edit']> }>(`${own}/state`);
        return { state: 'changed', stored: read(stored.edit) };
      }
    },

    readTimeline: (timeline) =>
      ask(`${data.addresses.api}/files/${file.id}/timeline`, { method: 'POST', json: { timeline } }),

    render: async ({ crossfadeMs, ...edit }, running) =>
      renderedBy(await order('render', { ...edit, crossfade_ms: crossfadeMs }), running, edit.ranges),

    versions: versionsOf(own, {
      get: () => transcriptFileId,
      set: (id) => void (transcriptFileId = id),
    }),

    shares: sharesOf(own),
    begun: {
      text: text === null ? null : (running) => textOf(text, running),
      render: render === null ? null : (running) => renderedBy(render.id, running, render.ranges),
      rendered: render?.hasEnded === true ? render.ranges : null,
    },
  };
}

const sharesOf = (own: string): Shares => ({
  list: async () => (await ask<{ readonly shares: readonly ShareLink[] }>(`${own}/shares`)).shares,
  add: async (json) => void (await ask(`${own}/shares`, { method: 'POST', json })),
  remove: async (id) => void (await ask(`${own}/shares/${id}`, { method: 'DELETE' })),
  removeComment: async (id) => void (await ask(`${own}/comments/${id}`, { method: 'DELETE' })),
});

/** @param shown the transcript whose words are shown */
function versionsOf(own: string, shown: { get(): string | null; set(id: string): void }): Versions {
  const at = (id: string): string => `${own}/versions/${id}`;
  return {
    list: () => ask(`${own}/versions`),
    add: async (name, seconds, version) =>
      void (await ask(`${own}/versions`, { method: 'POST', json: { name, seconds, version } })),
    async get(id) {
      const { state, transcriptFileId } = await ask<NonNullable<EditorFile['edit']>>(at(id));
      if (transcriptFileId === null || transcriptFileId === shown.get()) return { edit: editOf(state), words: null };
      const given = await words(transcriptFileId);
      shown.set(transcriptFileId);
      return { edit: editOf(state), words: given };
    },
    remove: async (id) => void (await ask(at(id), { method: 'DELETE' })),
    removeAll: async () => void (await ask(own, { method: 'DELETE' })),
  };
}

const editOf = (state: unknown): WordEdit => ({ ...nothingEdited, ...(state as Partial<WordEdit>) });

function read({ state, history, version, transcriptFileId }: NonNullable<EditorFile['edit']>): StoredState {
  return { edit: editOf(state), history: history as PackedHistory | null, version, transcript: transcriptFileId };
}
