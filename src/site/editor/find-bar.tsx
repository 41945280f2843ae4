// Search in the transcript.
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { t } from './page-data.ts';
import { seek } from './playback.ts';
import { finding, hitAt, hits, replaceHits, replacing } from './finding.ts';
import { doc, position, reveal, sentenceOf } from './state.ts';
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';

/** Search: its field, how many there are, and the way to the next. */
export function FindBar(): JSX.Element | null {
  const field = useRef<HTMLInputElement>(null);
  useSignalEffect(() => {
    if (finding.value === '') queueMicrotask(() => field.current?.focus());
  });
  if (finding.value === null) return null;
  const found = hits.value;
  const close = (): void => {
    finding.value = null;
    replacing.value = null;
  };
  const go = (by: number): void => {
    if (found.length === 0) return;
    hitAt.value = (hitAt.value + by + found.length) % found.length;
    const word = found[hitAt.value]?.[0] ?? 0;
    reveal.value = { sentence: sentenceOf(word) };
    seek(doc.value?.words[word]?.startSeconds ?? 0);
  };
  return (
    <div class="ed-bar ed-find" role="search">
      <div class="search">
        <Icon of={icons.search} />
        <input
          ref={field}
          class="input"
          type="search"
          dir="auto"
          value={finding.value}
          aria-label={t.findIn}
          onInput={({ currentTarget }) => {
            finding.value = currentTarget.value;
            const first = hits.value.findIndex(
              (span) => (doc.value?.words[span[0]]?.startSeconds ?? 0) >= position.value,
            );
            hitAt.value = Math.max(0, first);
            const word = hits.value[hitAt.value]?.[0];
            if (word !== undefined) reveal.value = { sentence: sentenceOf(word) };
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
            if (event.key === 'Escape') close();
          }}
        />
      </div>
      <p class="small" role="status">
        {found.length > 0 ? (
          <span class="num">{fill(t.found, { n: hitAt.value + 1, all: found.length })}</span>
        ) : finding.value.trim() === '' ? (
          ''
        ) : (
          t.notFound
        )}
      </p>
      <button class="btn s only" type="button" aria-label={t.before} onClick={() => go(-1)}>
        <Icon of={icons.back} />
      </button>
      <button class="btn s only" type="button" aria-label={t.next} onClick={() => go(1)}>
        <Icon of={icons.fwd} />
      </button>
      <Replace close={close} />
      <button class="btn s only quiet push" type="button" aria-label={t.close} onClick={close}>
        <Icon of={icons.x} />
      </button>
    </div>
  );
}

/** What hits are replaced by: opened when it is wanted. */
function Replace({ close }: { readonly close: () => void }): JSX.Element {
  const by = replacing.value;
  const found = hits.value;
  const canReplace = found.length > 0 && (by?.trim() ?? '') !== '';
  if (by === null)
    return (
      <button class="btn s" type="button" onClick={() => void (replacing.value = '')}>
        {t.replace}
      </button>
    );
  const replaceOne = (): void => {
    const hit = found[hitAt.value];
    if (hit === undefined || !canReplace) return;
    replaceHits([hit]);
    // The hit that follows has its place then.
    hitAt.value = Math.min(hitAt.value, Math.max(0, hits.value.length - 1));
    const next = hits.value[hitAt.value]?.[0];
    if (next !== undefined) reveal.value = { sentence: sentenceOf(next) };
  };
  return (
    <>
      <input
        class="input ed-by"
        // oxlint-disable-next-line react/no-autofocus
        autoFocus
        dir="auto"
        maxLength={200}
        value={by}
        aria-label={t.replaceBy}
        placeholder={t.replaceBy}
        onInput={({ currentTarget }) => void (replacing.value = currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') replaceOne();
          if (event.key === 'Escape') close();
        }}
      />
      <button class="btn s" type="button" disabled={!canReplace} onClick={replaceOne}>
        {t.replace}
      </button>
      <button class="btn s" type="button" disabled={!canReplace} onClick={() => replaceHits(found)}>
        {t.replaceAll}
      </button>
    </>
  );
}
