// What a run has listed, such as fillers: each heard, and cut or kept. Loaded by the page of a tool that lists.
import { analyse } from './analyse.ts';
import { ownAddress } from '../account/requests.ts';
import type { BenchData, BenchInput, RunRecord } from '../bench-data.ts';
import { foundPanel, type FoundTexts } from '../ranges/found.ts';
import { button, element } from '../ranges/panel.ts';
import type { Chosen } from '../ranges/look.ts';

interface Texts extends FoundTexts {
  readonly foundRecording: string;
  readonly foundTake: string;
}

/** A cut of a list, as the result of a run has it. */
interface ListedCut {
  readonly id: string;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface Listed {
  readonly run: RunRecord;
  /** null: the page has been loaded again, and does not know it. */
  readonly recording: Omit<Chosen, 'name'> | null;
  readonly data: BenchData;
  bring(input: BenchInput, files: readonly File[]): void;
  bringOwn(input: BenchInput, files: readonly { readonly id: string; readonly filename: string }[]): void;
  /** Returns to the form. */
  again(): void;
}

/** Back in the form: what was chosen, and the transcript whose list it is. */
async function choose({ run, data, bring, bringOwn, again }: Listed, ids: readonly string[]): Promise<void> {
  const [written] = run.outputs;
  const input = data.inputs.find(({ kind }) => kind === 'text');
  if (written === undefined || input === undefined) return;
  if (data.own !== null) bringOwn(input, [written]);
  else bring(input, [new File([await (await fetch(ownAddress(written.url))).blob()], written.filename)]);
  again();
  const form = document.querySelector<HTMLFormElement>('#bench');
  const controls = (name: string): readonly HTMLInputElement[] => [
    ...(form?.querySelectorAll<HTMLInputElement>(
      `[data-option=${name}] :is(input:not([type=hidden], [type=range]), textarea)`,
    ) ?? []),
  ];
  for (const control of controls(data.listOption)) control.value = ids.join('\n');
  // It is no list any more.
  for (const control of controls('dry_run')) control.checked = false;
  form?.dispatchEvent(new Event('input'));
}

/** @returns takes it away */
export function showListed(into: HTMLElement, listed: Listed): () => void {
  const { run, recording, data } = listed;
  const t: Texts = data.t;
  const { cuts = [] } = run.result as { readonly cuts?: readonly ListedCut[] };
  const stops = new AbortController();
  const { signal } = stops;
  const url = recording?.file ? URL.createObjectURL(recording.file) : (recording?.kept?.url ?? '');
  const put = async (): Promise<void> => {
    const sound = recording?.file ?? recording?.kept ?? null;
    const analysed = sound === null ? null : await analyse(sound, null).catch(() => null);
    if (signal.aborted) return;
    const end = analysed?.measured?.seconds ?? Math.max(1, ...cuts.map(({ endSeconds }) => endSeconds));
    const go = button(
      'go',
      t.foundTake,
      'cut',
      () =>
        void choose(
          listed,
          panel.cut().map(({ id }) => id),
        ),
    );
    go.append(t.foundTake);
    const panel = foundPanel({ url, end, peaks: analysed?.peaks ?? null, language: data.language, signal }, t, () => {
      go.disabled = panel.cut().length === 0;
    });
    into.replaceChildren(
      ...(sound === null ? [element('p', { className: 'pad small soft' }, t.foundRecording)] : []),
      panel.root,
      element('p', { className: 'pad' }, go),
    );
    panel.put(
      cuts.map(({ id, text, startSeconds, endSeconds }) => ({
        id,
        text,
        stretch: [startSeconds, endSeconds] as const,
      })),
    );
  };
  void put();
  return () => {
    stops.abort();
    into.replaceChildren();
    if (recording?.file) URL.revokeObjectURL(url);
  };
}
