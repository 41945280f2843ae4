// A tool that runs for the editor: transcription, alignment, rendering.
import { crossfadeMs } from '../../library/contract/edit-defaults.ts';
import { batch, effect, signal } from '@preact/signals';
import { beginWith } from '../../library/speech/word-edit/history.ts';
import type { Span } from '../../library/speech/word-edit/spans.ts';
import { nothingEdited } from '../../library/speech/word-edit/word-edit.ts';
import { t } from './page-data.ts';
import { pause } from './playback.ts';
import { Failure, type Rendered, type Running, type RunState, type Source } from './source.ts';
import { saveNow } from './saving.ts';
import { edit, editedSeconds, history, kept, peaks, peaksLooked, ranges, source, takeTranscript } from './state.ts';
import type { GivenTranscript } from './doc.ts';

export type Work =
  | { readonly name: 'none' }
  | { readonly name: 'running'; readonly title: string; readonly state: RunState; stop(): void }
  | { readonly name: 'failed'; readonly failure: Failure }
  | { readonly name: 'rendered'; readonly rendered: Rendered };

export const work = signal<Work>({ name: 'none' });

/** @param then called with the result in the moment in which nothing runs any more */
export async function run<Result>(
  title: string,
  act: (running: Running) => Promise<Result>,
  then: (result: Result) => void,
): Promise<void> {
  pause();
  const control = new AbortController();
  const tell = (state: RunState): void =>
    void (work.value = { name: 'running', title, state, stop: () => control.abort() });
  tell({ share: 0, secondsLeft: null });
  try {
    const result = await act({
      signal: control.signal,
      onState: (state) => {
        if (!control.signal.aborted) tell(state);
      },
    });
    batch(() => {
      work.value = { name: 'none' };
      then(result);
    });
  } catch (thrown) {
    const isStopped = control.signal.aborted;
    work.value = isStopped
      ? { name: 'none' }
      : {
          name: 'failed',
          failure: thrown instanceof Failure ? thrown : new Failure('failed', (thrown as Error).message),
        };
  }
}

function begin(given: GivenTranscript): void {
  history.value = beginWith({ ...nothingEdited, names: edit.peek().names });
  takeTranscript(given);
}

export async function transcribe(): Promise<void> {
  const own = source.value;
  if (own !== null) await run(t.transcribing, (running) => own.transcribe(running), begin);
}

export async function align(script: string): Promise<void> {
  const own = source.value;
  if (own === null) return;
  await run(
    t.aligning,
    async (running) => {
      // A script begins a new edit: the one before stays as a version.
      const saved = await saveNow();
      if (saved !== null && saved > 0 && edit.peek() !== nothingEdited)
        await own.versions.add(t.beforeScript, editedSeconds.peek(), saved);
      return own.align(script, running);
    },
    begin,
  );
}

function showRendered(rendered: Rendered): void {
  work.value = { name: 'rendered', rendered };
  // Looked at, what belongs to an edit is kept with it: also what has just been made.
  void source
    .peek()
    ?.versions.list()
    .catch(() => undefined);
}

/** The edit as it is rendered, when each seam is placed by its sound. @throws AbortError */
async function finalRanges(signal: AbortSignal): Promise<typeof ranges.value> {
  await new Promise<void>((resolve, reject) => {
    const stop = effect(() => {
      if (peaksLooked.value) queueMicrotask(() => (stop(), resolve()));
    });
    signal.addEventListener('abort', () => (stop(), reject(signal.reason as Error)));
  });
  await peaks.value?.ensure(ranges.value.ranges.flatMap(([from, to]) => around(from, to)));
  await Promise.resolve();
  return ranges.value;
}

/** Of what is kept only its ends are looked at. */
const around = (from: number, to: number): readonly Span[] =>
  ranges.value.mode === 'remove'
    ? [[from - 2, to + 2]]
    : [
        [from - 2, from + 2],
        [to - 2, to + 2],
      ];

/** Goes on with what was started before the page was opened. */
export async function goOn({ begun }: Source): Promise<void> {
  const { text, render: rendering, rendered } = begun;
  if (text !== null) await run(t.transcribing, text, begin);
  if (rendering === null) return;
  // What has ended is shown beside the edit that it is of.
  if (
    rendered !== null &&
    JSON.stringify((await finalRanges(new AbortController().signal)).ranges) !== JSON.stringify(rendered)
  )
    return;
  if (work.value.name === 'none') await run(t.rendering, rendering, showRendered);
}

/** Renders what is heard. @param free only the free part */
export async function render(free: boolean): Promise<void> {
  const own = source.value;
  if (own === null) return;
  if (ranges.value.ranges.length === 0)
    return void (work.value = { name: 'failed', failure: new Failure('nothing_cut', t.nothingCut) });
  if (kept.value.keeps.length === 0)
    return void (work.value = { name: 'failed', failure: new Failure('all_cut', t.allCut) });
  await run(
    t.rendering,
    async (running) => {
      // Seams whose sound was not looked at yet are placed now, so that what is rendered is final.
      return own.render({ ...(await finalRanges(running.signal)), crossfadeMs, free }, running);
    },
    showRendered,
  );
}
