// The example of the front page: plays before and after in step, without what is cut; a press cuts a word or keeps it.
import { formOf, type Plural } from '../../library/core/plural.ts';
import { handOver } from '../handing-over.ts';
import { formatTime } from '../time-ranges.ts';
import type { Example } from './example-data.ts';
import { kept, type Stretch } from './stretches.ts';

/** So that a seam does not click. */
const fadeSeconds = 0.005;

type Side = 'a' | 'b';

/** Plays stretches of decoded sounds one after the other, exact to the sample. */
function createPlayer(load: () => Promise<Readonly<Record<Side, ArrayBuffer>>>) {
  let context: AudioContext | undefined;
  let sounds: Promise<Readonly<Record<Side, AudioBuffer>>> | undefined;
  let playing: { readonly at: number; readonly stretch: Stretch; readonly source: AudioBufferSourceNode }[] = [];
  const stop = (): void => {
    for (const { source } of playing) source.stop();
    playing = [];
  };
  return {
    stop,
    /** In seconds of the recording; null: nothing plays. */
    now(): number | null {
      const time = context?.currentTime ?? 0;
      const piece = playing.findLast(({ at }) => at <= time) ?? playing[0];
      return piece === undefined ? null : Math.min(piece.stretch[1], piece.stretch[0] + Math.max(0, time - piece.at));
    },
    async play(side: Side, stretches: readonly Stretch[], ended: () => void): Promise<void> {
      const live = (context ??= new AudioContext());
      await live.resume();
      sounds ??= load().then(async ({ a, b }) => ({
        a: await live.decodeAudioData(a),
        b: await live.decodeAudioData(b),
      }));
      // What failed once is tried again.
      sounds.catch(() => (sounds = undefined));
      const buffer = (await sounds)[side];
      stop();
      let at = live.currentTime + 0.02;
      for (const [from, to] of stretches) {
        const source = new AudioBufferSourceNode(live, { buffer });
        const gain = new GainNode(live, { gain: 0 });
        gain.gain.setValueAtTime(0, at).linearRampToValueAtTime(1, at + fadeSeconds);
        gain.gain.setValueAtTime(1, at + to - from - fadeSeconds).linearRampToValueAtTime(0, at + to - from);
        source.connect(gain).connect(live.destination);
        source.start(at, from, to - from);
        playing.push({ at, stretch: [from, to], source });
        at += to - from;
      }
      const mine = playing;
      mine.at(-1)?.source.addEventListener('ended', () => mine === playing && mine.length > 0 && ended());
    },
  };
}

async function bytes(url = ''): Promise<ArrayBuffer> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.arrayBuffer();
}

const cutsOf = (root: HTMLElement): readonly Stretch[] =>
  [...root.querySelectorAll<HTMLElement>('.word.is-cut')].map(({ dataset }) => [
    Number(dataset['from']),
    Number(dataset['to']),
  ]);

const marked = [
  ['[data-bands]', 'band'],
  ['[data-hatches]', 'cut'],
] as const;

/** Draws the cuts as rectangles of a class. */
function mark(into: Element, name: string, cuts: readonly Stretch[], end: number): void {
  const rects = cuts.map(([from, to]) => {
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const attributes = {
      class: name,
      x: `${(from / end) * 100}%`,
      width: `${((to - from) / end) * 100}%`,
      height: '100%',
    };
    for (const [attribute, value] of Object.entries(attributes)) rect.setAttribute(attribute, value);
    return rect;
  });
  into.replaceChildren(...rects);
}

/** Says what B is: with the cuts that were found, with others, or with none. @param found at first */
function saying(status: HTMLElement, found: readonly Stretch[]): (cuts: readonly Stretch[]) => void {
  const { whole = '', cuts: forms = '' } = status.dataset;
  const foundText = status.textContent;
  const language = document.documentElement.lang;
  const counted = (n: number): string =>
    formOf(language, JSON.parse(forms) as Plural, n).replace('{n}', n.toLocaleString(language));
  return (cuts) =>
    void (status.textContent =
      String(cuts) === String(found) ? foundText : cuts.length === 0 ? whole : counted(cuts.length));
}

/** @param root the section of the page */
export function showExample(root: HTMLElement): void {
  const find = <Found extends Element>(selector: string): Found => root.querySelector(selector) as Found;
  const [button, slider, now] = [
    find<HTMLButtonElement>('[data-play]'),
    find<HTMLElement>('.wave'),
    find('[data-now]'),
  ];
  const head = find('[data-head]');
  const status = find<HTMLElement>('[data-failed]');
  const end = Number(slider.ariaValueMax);
  const names = [button.ariaLabel ?? '', button.dataset['pause'] ?? ''] as const;
  let at = 0;
  let isPlaying = false;
  const player = createPlayer(async () => {
    const [a, b] = await Promise.all([bytes(root.dataset['before']), bytes(root.dataset['after'])]);
    return { a, b };
  });
  const side = (): Side => (root.dataset['side'] === 'b' ? 'b' : 'a');

  const draw = (): void => {
    const place = `${(at / end) * 100}%`;
    for (const name of ['x1', 'x2']) head.setAttribute(name, place);
    now.textContent = formatTime(at);
    slider.ariaValueNow = at.toFixed(1);
    slider.ariaValueText = (slider.dataset['text'] ?? '')
      .replace('{at}', formatTime(at))
      .replace('{end}', formatTime(end));
  };
  const halt = (): void => {
    player.stop();
    isPlaying = false;
    root.classList.remove('plays');
    button.ariaLabel = names[0];
  };
  const follow = (): void => {
    if (!isPlaying) return;
    at = player.now() ?? at;
    draw();
    requestAnimationFrame(follow);
  };
  const play = async (): Promise<void> => {
    const wasPlaying = isPlaying;
    isPlaying = true;
    root.classList.add('plays');
    button.ariaLabel = names[1];
    const done = (): void => {
      halt();
      at = 0;
      draw();
    };
    try {
      const rest = kept(side() === 'b' ? cutsOf(root) : [], at, end);
      if (rest.length === 0) return done();
      await player.play(side(), rest, done);
      // It was stopped while the sounds were loaded.
      if (!isPlaying) player.stop();
      else if (!wasPlaying) follow();
    } catch {
      halt();
      status.textContent = status.dataset['failed'] ?? '';
    }
  };
  const toggle = (): void => {
    if (isPlaying) at = player.now() ?? at;
    if (isPlaying) halt();
    else void play();
  };
  /** After a change of the place, the side or the cuts. */
  const goOn = (to: number): void => {
    at = Math.min(end, Math.max(0, to));
    draw();
    if (isPlaying) void play();
  };
  const here = (): number => (isPlaying ? (player.now() ?? at) : at);

  button.addEventListener('click', toggle);
  for (const radio of root.querySelectorAll<HTMLInputElement>('input[type=radio]'))
    radio.addEventListener('change', () => {
      root.dataset['side'] = radio.value;
      goOn(here());
    });
  onPress(slider, (share) => goOn(share * end));
  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: () => goOn(here() + 1),
    ArrowLeft: () => goOn(here() - 1),
    Home: () => goOn(0),
    End: () => goOn(end),
    ' ': toggle,
    b: () => root.querySelector<HTMLInputElement>('input[type=radio]:not(:checked)')?.click(),
  };
  onKeys(slider, keys);
  const say = saying(status, cutsOf(root));
  pressable(root, () => {
    const cuts = cutsOf(root);
    say(cuts);
    for (const [into, name] of marked) mark(find(into), name, cuts, end);
    goOn(here());
  });
  find<HTMLButtonElement>('[data-edit]').addEventListener('click', () => void edit(root));
}

function onPress(element: HTMLElement, act: (share: number) => void): void {
  element.addEventListener('pointerdown', ({ clientX }) => {
    const { left, width } = element.getBoundingClientRect();
    act((clientX - left) / width);
  });
}

function onKeys(element: HTMLElement, keys: Readonly<Record<string, () => void>>): void {
  element.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}

/** Words become buttons: one stop of the Tab key, with arrows between them. */
function pressable(root: HTMLElement, changed: () => void): void {
  const buttons = [...root.querySelectorAll<HTMLElement>('.word')].map((word) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = word.className;
    button.textContent = word.textContent;
    Object.assign(button.dataset, word.dataset);
    button.ariaPressed = String(word.classList.contains('is-cut'));
    button.tabIndex = -1;
    word.replaceWith(button);
    return button;
  });
  const reach = (button: HTMLButtonElement | undefined): void => {
    if (button === undefined) return;
    for (const each of buttons) each.tabIndex = each === button ? 0 : -1;
  };
  reach(buttons.find((button) => button.ariaPressed === 'true') ?? buttons[0]);
  for (const [place, button] of buttons.entries()) {
    button.addEventListener('click', () => {
      button.ariaPressed = String(button.classList.toggle('is-cut'));
      reach(button);
      changed();
    });
    button.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const next = step === undefined ? undefined : buttons[place + step];
      if (next === undefined) return;
      event.preventDefault();
      reach(next);
      next.focus();
    });
  }
}

/** The editor gets the recording with its transcript, so that nothing has to be run first. */
async function edit({ dataset }: HTMLElement): Promise<void> {
  const about = JSON.parse(new TextDecoder().decode(await bytes(dataset['about']))) as Example;
  await handOver([
    await sampleFile(dataset['recording'] ?? ''),
    new File([JSON.stringify(about.transcript)], 'talk.json', { type: 'application/json' }),
  ]);
  location.assign(dataset['editor'] ?? '');
}

/** The recording as if it had been chosen. */
export const sampleFile = async (url: string): Promise<File> =>
  new File([await (await fetch(url)).blob()], 'talk.opus', { type: 'audio/ogg' });
