// Two sounds against each other: that of a film, and the one that takes its place, which is moved by hand or by keys.
// Loaded by the page of a tool that declares it.
import { peaksOf } from '../peaks.ts';
import { decoded, type Look, planesOf } from '../ranges/look.ts';
import { button, element, onKeys, type PlayerTexts, setPlaying } from '../ranges/panel.ts';
import { formatTime } from '../time-ranges.ts';
import { draw } from '../waveform.ts';

interface Texts extends PlayerTexts {
  readonly listenTo: string;
  readonly offsetFilm: string;
  readonly offsetNew: string;
  readonly offsetHelp: string;
  readonly offsetBoth: string;
}

const bins = 1600;

let shown: { readonly sources: string; readonly leave: () => void } | null = null;

/** Shows both as soon as both are chosen; where one cannot be decoded here, the offset is typed. */
export async function show({ form, sounds, data: { t } }: Look): Promise<void> {
  const sources = sounds.map(({ name, file, kept }) => `${name} ${file?.size ?? kept?.url ?? ''}`).join('\n');
  if (sources === shown?.sources) return;
  shown?.leave();
  const stops = new AbortController();
  const root = element('div', { className: 'panel ranges offset' });
  const mine = {
    sources,
    leave() {
      stops.abort();
      root.remove();
    },
  };
  shown = mine;
  const [film, sound] = sounds;
  const field = form.querySelector<HTMLInputElement>('input[name=offset_seconds]');
  if (film === undefined || sound === undefined || field === null) return;
  const [a, b] = [await decoded(film), await decoded(sound)];
  if (a === null || b === null || shown !== mine) return;
  build(root, { film: a, sound: b, field, t, signal: stops.signal });
  form.querySelector('#settings')?.before(root);
  root.dispatchEvent(new Event('shown'));
}

interface Both {
  readonly film: AudioBuffer;
  readonly sound: AudioBuffer;
  readonly field: HTMLInputElement;
  readonly t: Texts;
  readonly signal: AbortSignal;
}

type Side = 'film' | 'sound' | 'both';

/** Plays what is chosen from a place of the film, exact to the sample. */
function player({ film, sound, signal }: Both, offset: () => number, ended: () => void) {
  const context = new AudioContext();
  let playing: readonly AudioBufferSourceNode[] = [];
  let began = { at: 0, time: 0 };
  const stop = (): void => {
    for (const source of playing) source.stop();
    playing = [];
  };
  signal.addEventListener('abort', () => void context.close());
  return {
    stop,
    isPlaying: () => playing.length > 0,
    now: () => began.at + Math.max(0, context.currentTime - began.time),
    async play(from: number, side: Side): Promise<void> {
      await context.resume();
      stop();
      const time = context.currentTime + 0.03;
      began = { at: from, time };
      const start = (buffer: AudioBuffer, at: number, isHeard: boolean): AudioBufferSourceNode => {
        const source = new AudioBufferSourceNode(context, { buffer });
        // Both at once are as loud as one.
        source
          .connect(new GainNode(context, { gain: !isHeard ? 0 : side === 'both' ? 0.7 : 1 }))
          .connect(context.destination);
        source.start(time + Math.max(0, -at), Math.max(0, at), Math.max(0, film.duration - from));
        return source;
      };
      const own = start(film, from, side !== 'sound');
      const late = from - offset();
      playing = [own, ...(late < sound.duration ? [start(sound, late, side !== 'film')] : [])];
      own.addEventListener('ended', () => {
        if (playing[0] !== own) return;
        stop();
        ended();
      });
    },
  };
}

function lane(name: string, canvas: HTMLCanvasElement, head: HTMLElement): HTMLElement {
  const box = element('div', { className: 'wave m' }, canvas, head);
  return element('div', {}, element('p', { className: 'pad xs soft' }, name), box);
}

function build(root: HTMLElement, both: Both): void {
  const { film, sound, field, t, signal } = both;
  const end = film.duration;
  const offset = (): number => (Number.isFinite(field.valueAsNumber) ? field.valueAsNumber : Number(field.value) || 0);
  const canvases = [element('canvas', { ariaHidden: 'true' }), element('canvas', { ariaHidden: 'true' })] as const;
  const heads = [element('i', { className: 'place' }), element('i', { className: 'place' })] as const;
  const lanes = [lane(t.offsetFilm, canvases[0], heads[0]), lane(t.offsetNew, canvases[1], heads[1])] as const;
  const [top, moved] = lanes.map((each) => each.querySelector<HTMLElement>('.wave')) as [HTMLElement, HTMLElement];
  const time = element('p', { className: 'time' });
  let at = 0;
  let side: Side = 'both';
  const heard = player(both, offset, () => {
    at = 0;
    told();
  });
  Object.assign(top, {
    role: 'slider',
    tabIndex: 0,
    ariaLabel: t.position,
    ariaValueMin: '0',
    ariaValueMax: String(end),
  });
  Object.assign(moved, {
    role: 'slider',
    tabIndex: 0,
    ariaLabel: t.offsetNew,
    ariaValueMin: String(-sound.duration),
    ariaValueMax: String(end),
  });
  const play = button('only l ink', t.play, 'play', () => {
    if (heard.isPlaying()) {
      at = heard.now();
      heard.stop();
    } else void begin();
    told();
  });

  function told(): void {
    for (const head of heads) head.style.insetInlineStart = `${(Math.min(at, end) / end) * 100}%`;
    const shift = offset();
    canvases[1].style.insetInlineStart = `${(shift / end) * 100}%`;
    time.replaceChildren(formatTime(at, 2), ' ', element('small', {}, `/ ${formatTime(end)}`));
    top.ariaValueNow = at.toFixed(1);
    top.ariaValueText = t.positionText.replace('{at}', formatTime(at, 2)).replace('{end}', formatTime(end));
    moved.ariaValueNow = shift.toFixed(3);
    moved.ariaValueText = `${shift > 0 ? '+' : ''}${shift.toFixed(3)} s`;
    setPlaying(play, heard.isPlaying(), t);
  }
  const drawn = (): void => {
    canvases[1].style.width = `${(sound.duration / end) * 100}%`;
    for (const [index, buffer] of [film, sound].entries())
      draw(canvases[index] as HTMLCanvasElement, {
        peaks: peaks[index] ?? new Float32Array(2),
        scale: scaleOf(buffer),
      });
    told();
  };
  const peaks = [film, sound].map((buffer) => peaksOf(planesOf(buffer), bins));
  // Each at its own scale: a camera's microphone is soft.
  const scaleOf = (buffer: AudioBuffer): number =>
    1 / Math.max(0.02, ...Array.from(peaks[buffer === film ? 0 : 1] ?? [], Math.abs));
  const follow = (): void => {
    if (!heard.isPlaying() || signal.aborted) return;
    at = heard.now();
    told();
    requestAnimationFrame(follow);
  };
  async function begin(): Promise<void> {
    await heard.play(at, side);
    follow();
  }
  const goOn = (to: number): void => {
    at = Math.min(end, Math.max(0, to));
    if (heard.isPlaying()) void begin();
    told();
  };
  const move = (to: number): void => {
    const [least, most] = [Number(field.min || -36_000), Number(field.max || 36_000)];
    field.value = String(Math.round(Math.min(most, Math.max(least, to)) * 1000) / 1000);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  hands({ top, moved, end, play, goOn, move, offset, here: () => (heard.isPlaying() ? heard.now() : at) });
  field.form?.addEventListener('input', () => goOn(heard.isPlaying() ? heard.now() : at), { signal });
  field.form?.addEventListener('submit', () => heard.stop(), { signal });
  addEventListener('resize', drawn, { signal });
  const choice = sides(t, (chosen) => {
    side = chosen;
    if (heard.isPlaying()) goOn(heard.now());
  });
  root.append(
    element('div', { className: 'transport' }, play, time, choice),
    ...lanes,
    element('p', { className: 'pad small soft' }, t.offsetHelp),
  );
  root.addEventListener('shown', drawn);
}

interface Hands {
  readonly top: HTMLElement;
  readonly moved: HTMLElement;
  readonly end: number;
  readonly play: HTMLButtonElement;
  /** To a place of the film. */
  goOn(to: number): void;
  /** The new sound. */
  move(to: number): void;
  offset(): number;
  here(): number;
}

/** What pointers and keys do. */
function hands({ top, moved, end, play, goOn, move, offset, here }: Hands): void {
  byHand(top, end, (_, to) => goOn(to));
  let from = 0;
  byHand(moved, end, (begun, to, isFirst) => {
    if (isFirst) from = offset();
    move(from + to - begun);
  });
  const keys = { ' ': () => play.click() };
  onKeys(top, {
    ...keys,
    ArrowRight: () => goOn(here() + 1),
    ArrowLeft: () => goOn(here() - 1),
    Home: () => goOn(0),
    End: () => goOn(end),
  });
  onKeys(moved, {
    ...keys,
    ArrowRight: ({ shiftKey }) => move(offset() + (shiftKey ? 1 : 0.01)),
    ArrowLeft: ({ shiftKey }) => move(offset() - (shiftKey ? 1 : 0.01)),
    Home: () => move(0),
  });
}

/** What is heard. */
function sides(t: Texts, changed: (side: Side) => void): HTMLElement {
  const radio = (side: Side, name: string): HTMLElement => {
    const input = element('input', { type: 'radio', name: 'heard', value: side, checked: side === 'both' });
    // It belongs to no form: nothing of it is sent.
    input.setAttribute('form', '');
    input.addEventListener('change', () => changed(side));
    return element('label', {}, input, name);
  };
  return element(
    'fieldset',
    { className: 'ab push' },
    element('legend', { className: 'sr' }, t.listenTo),
    element(
      'div',
      { className: 'seg calm' },
      radio('film', t.offsetFilm),
      radio('sound', t.offsetNew),
      radio('both', t.offsetBoth),
    ),
  );
}

/** A press and what follows it, as times. */
function byHand(on: HTMLElement, end: number, act: (begun: number, at: number, isFirst: boolean) => void): void {
  let begun: number | null = null;
  const timeAt = (x: number): number => {
    const { left, width } = on.getBoundingClientRect();
    return ((x - left) / width) * end;
  };
  on.addEventListener('pointerdown', ({ clientX, pointerId }) => {
    begun = timeAt(clientX);
    on.setPointerCapture(pointerId);
    act(begun, begun, true);
  });
  on.addEventListener('pointermove', ({ clientX }) => {
    if (begun !== null) act(begun, timeAt(clientX), false);
  });
  for (const name of ['pointerup', 'pointercancel'] as const) on.addEventListener(name, () => void (begun = null));
}
