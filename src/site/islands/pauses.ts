// The pauses that a tool would shorten, found in the browser: drawn, heard, and each kept or not. Loaded by the page of
// a tool that declares it.
import { pauseRumbleHz } from '../../library/contract/edit-defaults.ts';
import { findPauses } from '../../library/dsp/pauses/pauses.ts';
import { shortened } from '../../library/dsp/pauses/shortened.ts';
import { highPassForMeasuring } from '../../library/dsp/spectrum/high-pass.ts';
import { type Found, type FoundPanel, foundPanel } from '../ranges/found.ts';
import { decoded, type Look, planesOf } from '../ranges/look.ts';
import { peaksOf } from '../peaks.ts';

const hopSeconds = 0.005;
const bins = 1600;

/** Mean squares of all channels without rumble, as the tool measures them. */
function levelsOf(sound: AudioBuffer): Float32Array {
  const { length, numberOfChannels: channels, sampleRate } = sound;
  const levels = new Float32Array(Math.ceil(length / sampleRate / hopSeconds));
  const filter = highPassForMeasuring(pauseRumbleHz);
  filter.open({ sampleRate, channels, layout: '' });
  const planes = planesOf(sound);
  const start = (hop: number): number => Math.min(length, Math.round(hop * hopSeconds * sampleRate));
  for (let hop = 0; hop < levels.length; hop++) {
    const frames = start(hop + 1) - start(hop);
    const block = planes.map((plane) => plane.subarray(start(hop), start(hop + 1)));
    filter.process({ planes: block, frames }, (filtered) => {
      let sum = 0;
      for (const plane of filtered.planes) for (let at = 0; at < frames; at++) sum += (plane[at] ?? 0) ** 2;
      levels[hop] = sum / Math.max(1, frames * channels);
    });
  }
  return levels;
}

/** Cuts these stretches by hand, where some are kept; null: the tool does all of it. */
function run({ data, instead, ask }: Look, cut: readonly Found[] | null): void {
  const had = instead.value !== null;
  const ranges = cut?.map(({ stretch }) => stretch);
  instead.value = ranges && data.cut ? { ...data.cut, options: new Map([['ranges', ranges]]) } : null;
  if (had !== (instead.value !== null)) ask();
}

let shown: { readonly source: File | string; readonly leave: () => void } | null = null;

/** Shows them for one chosen file; where it cannot be decoded here, the tool finds them as ever. */
export async function show(look: Look): Promise<void> {
  const { form, sounds, data } = look;
  const [only] = sounds.length === 1 ? sounds : [];
  const source = only?.file ?? only?.kept?.url ?? null;
  if (source === shown?.source) return;
  shown?.leave();
  shown = null;
  run(look, null);
  if (only === undefined || source === null) return;
  const stops = new AbortController();
  const url = only.file === null ? (only.kept?.url ?? '') : URL.createObjectURL(only.file);
  let panel: FoundPanel | null = null;
  shown = {
    source,
    leave() {
      stops.abort();
      form.querySelector('#start')?.removeAttribute('inert');
      panel?.root.remove();
      if (only.file !== null) URL.revokeObjectURL(url);
    },
  };
  const sound = await decoded(only);
  if (sound === null || shown?.source !== source) return;
  const end = sound.duration;
  const peaks = peaksOf(planesOf(sound), bins);
  const { pauses } = findPauses(levelsOf(sound), hopSeconds, end);
  const number = (name: string): number => Number(new FormData(form).get(name));
  let all: readonly Found[] = [];
  const tell = (): void => {
    const cut = panel?.cut() ?? [];
    // Where all are kept there is nothing to run.
    form.querySelector('#start')?.toggleAttribute('inert', cut.length === 0 && all.length > 0);
    run(look, cut.length === all.length || cut.length === 0 ? null : cut);
  };
  panel = foundPanel({ url, end, peaks, language: data.language, signal: stops.signal }, data.t, tell);
  const put = (): void => {
    const options = { min_pause_seconds: number('min_pause_seconds'), keep_seconds: number('keep_seconds') };
    const cuts = shortened(pauses, options, sound.length, sound.sampleRate);
    const seconds = (frame: number): number => frame / sound.sampleRate;
    // By the middle: it is the same pause where more or less of it stays.
    all = cuts.map(({ start, end: to }) => ({
      id: seconds((start + to) / 2).toFixed(1),
      stretch: [seconds(start), seconds(to)],
      text: '',
    }));
    panel?.put(all);
    tell();
  };
  form.addEventListener('input', ({ target }) => target instanceof Element && form.contains(target) && put(), {
    signal: stops.signal,
  });
  form.querySelector('#settings')?.before(panel.root);
  put();
}
