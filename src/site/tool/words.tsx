// The transcript that a tool wrote, to be read before it is downloaded.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ownAddress } from '../account/requests.ts';
import type { RunOutput } from '../bench-data.ts';
import type { Written } from '../islands/analyse.ts';
import { formatTime } from '../time-ranges.ts';
import { fill } from '../ui.tsx';
import { data, t } from './items.ts';

/** With more sentences the page is slow; the downloaded file has all of them. */
const mostSentences = 1000;

export function Words({ outputs }: { readonly outputs: readonly RunOutput[] }): JSX.Element | null {
  const written = useSignal<Written | null>(null);
  const made = outputs.find(({ filename }) => filename.endsWith('.json'));
  useEffect(() => {
    if (made === undefined) return;
    const look = async (): Promise<void> => {
      const { readTranscript } = (await import(data.analyse)) as typeof import('../islands/analyse.ts');
      written.value = await readTranscript(ownAddress(made.url), made.sizeBytes ?? 0);
    };
    // It can be downloaded all the same.
    void look().catch(() => undefined);
  }, [made?.url]);
  if (written.value === null) return null;
  const { language, direction, sentences } = written.value;
  const shown = sentences.slice(0, mostSentences);
  return (
    <section class="pad written" aria-label={t.transcript} tabIndex={0} dir={direction}>
      {shown.map(({ startSeconds, speaker, text }, at) => (
        <div key={at} class="sent">
          {speaker !== null && speaker !== shown[at - 1]?.speaker && (
            <p class="who">{fill(t.speaker, { n: speaker })}</p>
          )}
          <span class="at">{formatTime(startSeconds)}</span>
          <p lang={language} dir={direction === 'rtl' ? 'rtl' : 'auto'}>
            {text}
          </p>
        </div>
      ))}
      {shown.length < sentences.length && (
        <p class="soft">{fill(t.moreWritten, { n: sentences.length.toLocaleString(data.language) })}</p>
      )}
    </section>
  );
}
