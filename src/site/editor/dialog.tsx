// Dialogs over the editor.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from './page-data.ts';

/** A dialog that keeps the rest of the page away while it is open. */
export function Dialog({
  title,
  close,
  children,
}: {
  title: string;
  close(): void;
  children: JSX.Element;
}): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog class="dialog" ref={box} aria-labelledby="ed-dialog" onClose={close}>
      <div class="body stack-s">
        <h2 class="h3" id="ed-dialog">
          {title}
        </h2>
        {children}
      </div>
      <form class="end" method="dialog">
        <button class="btn s" type="submit">
          {t.dialog}
        </button>
      </form>
    </dialog>
  );
}

/** Does something of a dialog; what went wrong is its problem. */
export type Attempt = (what: () => Promise<void>) => Promise<void>;

/** @returns also what to show: what went wrong with the last attempt */
export function useAttempts(): readonly [Attempt, JSX.Element | null] {
  const problem = useSignal('');
  const attempt: Attempt = async (what) => {
    problem.value = '';
    await what().catch((thrown: unknown) => void (problem.value = (thrown as Error).message));
  };
  const fault =
    problem.value === '' ? null : (
      <p class="err" role="alert">
        {problem.value}
      </p>
    );
  return [attempt, fault];
}
