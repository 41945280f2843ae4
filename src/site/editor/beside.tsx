// What is beside the text: the film, if there is one, and the lists; both as wide as is wished.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import * as icons from '../icons.ts';
import { Icon } from '../ui.tsx';
import { t } from './page-data.ts';
import { usePlayer } from './playback.ts';
import { Side } from './side.tsx';
import { doc, source } from './state.ts';

const key = 'earshot-editor-beside';
const [least, most, usual] = [320, 900, 400];

/** As it was left on this device; a browser that keeps nothing begins with the usual. */
function kept(): { readonly pixels: number; readonly shows: boolean } {
  try {
    const [pixels = '', shows] = (localStorage.getItem(key) ?? '').split(' ');
    return { pixels: Number(pixels) || usual, shows: shows !== 'hidden' };
  } catch {
    return { pixels: usual, shows: true };
  }
}

const before = kept();
/** Width of what is beside the text, CSS pixels. */
export const besidePixels = signal(before.pixels);
const showsFilm = signal(before.shows);

function keep(): void {
  try {
    localStorage.setItem(key, `${besidePixels.value} ${showsFilm.value ? 'shown' : 'hidden'}`);
  } catch {
    // As above.
  }
}

function widen(pixels: number): void {
  // The text keeps a line of some words.
  besidePixels.value = Math.round(Math.min(Math.max(least, pixels), most, Math.max(least, innerWidth - 420)));
  keep();
}

export function Beside(): JSX.Element {
  return (
    <div class="ed-beside">
      <Divider />
      <Film />
      {doc.value !== null && <Side />}
    </div>
  );
}

function Film(): JSX.Element {
  const element = useRef<HTMLMediaElement>(null);
  const own = source.value;
  useEffect(() => {
    if (element.current !== null) usePlayer(element.current);
  }, [own]);
  if (own?.hasVideo !== true) return <audio ref={element} src={own?.url} preload="metadata" />;
  return (
    <div class="ed-film">
      {/* It goes on while it is hidden: its sound is what is heard. */}
      <video
        class="ed-video"
        hidden={!showsFilm.value}
        ref={element as never}
        src={own.url}
        preload="metadata"
        playsInline
      />
      <button
        class="btn s quiet"
        type="button"
        onClick={() => {
          showsFilm.value = !showsFilm.value;
          keep();
        }}
      >
        <Icon of={icons.video} />
        {showsFilm.value ? t.hideFilm : t.showFilm}
      </button>
    </div>
  );
}

/** Between text and lists: dragged, or moved by arrow keys. */
function Divider(): JSX.Element {
  const isLeftward = (element: Element): boolean => getComputedStyle(element).direction === 'rtl';
  return (
    <div
      class="ed-divider"
      role="separator"
      tabIndex={0}
      aria-label={t.divider}
      aria-orientation="vertical"
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={besidePixels.value}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        widen(isLeftward(event.currentTarget) ? event.clientX : innerWidth - event.clientX);
      }}
      onDblClick={() => widen(usual)}
      onKeyDown={(event) => {
        const onwards = isLeftward(event.currentTarget) ? -1 : 1;
        const by = event.key === 'ArrowLeft' ? 32 : event.key === 'ArrowRight' ? -32 : null;
        if (by === null) return;
        event.preventDefault();
        widen(besidePixels.value + onwards * by);
      }}
    />
  );
}
