import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RunRecord } from '../bench-data.ts';
import { bring, bringOwn, data, theRecording } from './items.ts';
import { keptOf } from './own.ts';
import { again } from './state.ts';

/** What a run has listed, to choose from. */
export function Choice({ run, script }: { readonly run: RunRecord; readonly script: string }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let leave = (): void => undefined;
    const item = theRecording();
    const show = async (): Promise<void> => {
      const { showListed } = (await import(script)) as typeof import('../islands/listed.ts');
      const recording = item && { ...item, kept: keptOf(item) };
      leave = showListed(place.current as HTMLElement, { run, recording, data, bring, bringOwn, again });
    };
    void show();
    return () => leave();
  }, []);
  return <div ref={place} />;
}
