// The field in which words are corrected.
import { alignCorrection } from '../../library/speech/text-edit/correct.ts';
import * as icons from '../icons.ts';
import { Icon } from '../ui.tsx';
import { t } from './page-data.ts';
import { correct, correcting, doc, shownWord } from './state.ts';
import { useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';

/** A field in the place of the words that are corrected. */
export function Fix(): JSX.Element {
  const words = correcting.value ?? [0, 0];
  const heard = Array.from({ length: words[1] - words[0] }, (_, at) => shownWord(words[0] + at)).filter(
    (text) => text !== '',
  );
  const text = useSignal(heard.join(' '));
  const field = useRef<HTMLInputElement>(null);
  useSignalEffect(() => {
    if (correcting.value !== null) queueMicrotask(() => field.current?.select());
  });
  const done = (): void => {
    correcting.value = null;
    document.querySelector<HTMLElement>('#ed-text')?.focus();
  };
  return (
    <form
      class="fixbox"
      onSubmit={(event) => {
        event.preventDefault();
        const own = doc.value?.words.slice(...words).map((word) => word.text) ?? [];
        correct(words, alignCorrection(own, text.value));
        done();
      }}
    >
      <input
        ref={field}
        // oxlint-disable-next-line react/no-autofocus
        autoFocus
        dir="auto"
        aria-label={t.correct}
        title={t.correctHelp}
        value={text.value}
        maxLength={1000}
        size={Math.max(8, text.value.length + 1)}
        onInput={({ currentTarget }) => void (text.value = currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Escape') done();
        }}
      />
      <button class="btn s only" type="submit" aria-label={t.done}>
        <Icon of={icons.check} />
      </button>
      <button class="btn s only quiet" type="button" aria-label={t.cancel} onClick={done}>
        <Icon of={icons.x} />
      </button>
    </form>
  );
}
