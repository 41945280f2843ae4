// Which recording of this device to edit: dropped, chosen, or one of the latest.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import * as icons from '../icons.ts';
import { fill, Icon, shownBytes } from '../ui.tsx';
import { type KeptRecording, keptRecordings } from './device-store.ts';
import { data, t } from './page-data.ts';

interface ChooserProps {
  /** @param isKept it is one of this device, with what was done to it */
  take(file: File, isKept: boolean): void;
  readonly problem: string;
}

export function Chooser({ take, problem }: ChooserProps): JSX.Element {
  const over = useSignal(false);
  const before = useSignal<readonly KeptRecording[]>([]);
  useEffect(() => {
    void keptRecordings().then((kept) => (before.value = kept));
  }, []);
  const bring = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) take(file, false);
  };
  return (
    <div class="wrap section stack">
      <p class="lead">{t.lead}</p>
      <div
        class={`drop ${over.value ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          over.value = true;
        }}
        onDragLeave={() => void (over.value = false)}
        onDrop={(event) => {
          event.preventDefault();
          over.value = false;
          bring(event.dataTransfer?.files);
        }}
      >
        <h2 class="drop-h">{t.drop}</h2>
        <div class="flatline" aria-hidden="true" />
        <div class="row">
          <input
            class="sr"
            type="file"
            id="ed-file"
            accept="audio/*,video/*"
            onChange={({ currentTarget }) => bring(currentTarget.files)}
          />
          <label class="btn go l" for="ed-file">
            <Icon of={icons.file} />
            {t.choose}
          </label>
        </div>
      </div>
      <p class="err" role="alert" hidden={problem === ''}>
        <Icon of={icons.warn} />
        {problem}
      </p>
      {before.value.length > 0 && (
        <section class="stack-s" aria-labelledby="ed-before">
          <h2 class="h4" id="ed-before">
            {t.onDevice}
          </h2>
          <ul class="rows">
            {before.value.map(({ key, file }) => (
              <li key={key} class="row pad-s">
                <button class="btn s" type="button" onClick={() => take(file, true)}>
                  <Icon of={icons.file} />
                  {file.name}
                </button>
                <span class="small soft">{fill('{size}', { size: shownBytes(file.size, data.language) })}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
