// Plays the recording, or the edit. Where samples can be had, the edit is made of them exactly as it will be rendered;
// elsewhere the browser's player jumps over the cuts.
import { signal } from '@preact/signals';
import { type Piece, planPieces } from '../../library/edit/pieces.ts';
import { outputStarts, renderFrames } from './render-pieces.ts';
import type { Sound } from './sound.ts';
import { editList, listen, playing, position, rate, show, times, totalSeconds, follow } from './state.ts';

/** Sound that is scheduled ahead, seconds. */
const aheadSeconds = 0.6;
const blockSeconds = 0.25;
/** The picture is set again where it is further off. */
const pictureSeconds = 0.12;

/** Samples of the recording; undefined: not looked for yet; null: they cannot be had. */
export const sound = signal<Sound | null | undefined>(undefined);

let element: HTMLMediaElement | null = null;
let context: AudioContext | null = null;
let stopExact: (() => void) | null = null;
/** Where all was heard: from there playing begins again. */
let heardOut: number | null = null;
/** Where playing ends; null: at the end. */
let until: number | null = null;
let frameRequest = 0;

/** The element of the page that plays the file. */
export function usePlayer(player: HTMLMediaElement): void {
  element = player;
  player.addEventListener('ended', () => {
    if (stopExact === null) pause();
  });
}

export function pause(): void {
  playing.value = false;
  cancelAnimationFrame(frameRequest);
  stopExact?.();
  stopExact = null;
  element?.pause();
}

export function toggle(): void {
  if (playing.value) pause();
  else play();
}

/** @param to seconds of the recording at which it stops. Default: the end */
export function play(to: number | null = null): void {
  pause();
  until = to;
  follow.value = true;
  if (position.value >= totalSeconds.value - 0.02 || position.value === heardOut)
    position.value = listen.value === 'edited' ? times.value.toSource(0) : 0;
  const own = sound.value;
  playing.value = true;
  if (listen.value === 'edited' && rate.value === 1 && own !== null && own !== undefined) playExact(own);
  else playElement();
}

/** Hears a stretch of the recording, and what is heard before and after it. */
export function playAround(from: number, to: number, margin = 1.2): void {
  const { toOutput, toSource, outputSeconds } = times.value;
  const isEdited = listen.value === 'edited';
  seek(isEdited ? toSource(Math.max(0, toOutput(from) - margin)) : Math.max(0, from - margin));
  const end = toOutput(to) + margin;
  play(!isEdited ? Math.min(totalSeconds.value, to + margin) : end < outputSeconds ? toSource(end) : null);
}

export function seek(seconds: number): void {
  const to = Math.min(Math.max(0, seconds), totalSeconds.value);
  const goesOn = playing.value;
  if (goesOn) pause();
  position.value = to;
  if (element !== null && Math.abs(element.currentTime - to) > 0.001) element.currentTime = to;
  show(to);
  if (goesOn) play(until !== null && until > to ? until : null);
}

function end(): void {
  heardOut = position.value;
  pause();
}

const isAfter = (at: number): boolean => at >= totalSeconds.value - 0.01 || (until !== null && at >= until);

/** The browser's player; what is not heard is jumped over, to the accuracy of a frame of the page. */
function playElement(): void {
  const player = element;
  if (player === null) return pause();
  player.muted = false;
  player.playbackRate = rate.value;
  player.currentTime = position.value;
  void player.play().catch(() => pause());
  let list = editList.value;
  let index = keepFrom(position.value);
  const look = (): void => {
    if (!playing.value || stopExact !== null) return;
    let at = player.currentTime;
    if (listen.value === 'edited') {
      if (list !== editList.value) index = keepFrom(at);
      list = editList.value;
      const { keeps, sampleRate } = list;
      const isOver = at >= (keeps[index]?.end ?? 0) / sampleRate - 0.001;
      if (isOver) index += 1;
      const keep = keeps[index];
      if (keep === undefined) return end();
      if (isOver || at < keep.start / sampleRate - 0.001) player.currentTime = at = keep.start / sampleRate;
      if (until !== null && times.value.toOutput(at) >= times.value.toOutput(until)) return pause();
    } else if (isAfter(at)) return pause();
    position.value = at;
    if (follow.value) show(at);
    frameRequest = requestAnimationFrame(look);
  };
  frameRequest = requestAnimationFrame(look);
}

/** The keep that has a moment of the recording, or else the next one of the recording. */
function keepFrom(seconds: number): number {
  const { keeps, sampleRate } = editList.value;
  const frame = seconds * sampleRate;
  let found = keeps.length;
  for (const [index, { start, end: last }] of keeps.entries())
    if (frame < last && (found === keeps.length || start < (keeps[found]?.start ?? 0))) found = index;
  return found;
}

/** Blocks of the edit's own sound, one after the other on the clock of the sound device. */
function playExact(own: Sound): void {
  context ??= new AudioContext({ sampleRate: own.sampleRate });
  const clock = context;
  void clock.resume();
  const pieces: readonly Piece[] = planPieces(editList.value);
  const starts = outputStarts(pieces);
  const map = times.value;
  const total = starts.at(-1) ?? 0;
  let next = Math.round(map.toOutput(position.value) * own.sampleRate);
  if (next >= total) next = 0;
  const nodes = new Set<AudioBufferSourceNode>();
  const life = { isOn: true };
  /** When frame 0 of the output would have begun. */
  let zero: number | null = null;
  stopExact = () => {
    life.isOn = false;
    for (const node of nodes) node.stop();
  };
  const fill = async (): Promise<void> => {
    while (life.isOn && next < total) {
      if (zero !== null && next / own.sampleRate + zero > clock.currentTime + aheadSeconds) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        continue;
      }
      const count = Math.round(blockSeconds * own.sampleRate);
      const planes = await renderFrames(pieces, starts, next, count, own.channels, own.read);
      const frames = planes[0]?.length ?? 0;
      if (!life.isOn || frames === 0) return;
      zero ??= clock.currentTime + 0.05 - next / own.sampleRate;
      // The device was busy for longer than was scheduled: go on from now.
      const at = Math.max(zero + next / own.sampleRate, clock.currentTime);
      zero = at - next / own.sampleRate;
      const buffer = new AudioBuffer({ numberOfChannels: own.channels, length: frames, sampleRate: own.sampleRate });
      for (const [channel, plane] of planes.entries()) buffer.copyToChannel(plane, channel);
      const node = new AudioBufferSourceNode(clock, { buffer });
      node.connect(clock.destination);
      node.addEventListener('ended', () => nodes.delete(node));
      nodes.add(node);
      node.start(at);
      next += frames;
    }
  };
  void fill().catch(() => {
    // The sound could not be read: the browser's player goes on.
    if (!life.isOn) return;
    stopExact?.();
    stopExact = null;
    sound.value = null;
    playElement();
  });
  const picture = element instanceof HTMLVideoElement ? element : null;
  if (picture !== null) {
    picture.muted = true;
    void picture.play().catch(() => undefined);
  }
  const look = (): void => {
    if (!life.isOn) return;
    if (zero !== null) {
      const output = Math.max(0, clock.currentTime - zero);
      const at = map.toSource(output);
      position.value = at;
      if (picture !== null && Math.abs(picture.currentTime - at) > pictureSeconds) picture.currentTime = at;
      if (follow.value) show(at);
      if (output >= total / own.sampleRate) return end();
      if (until !== null && output >= map.toOutput(until)) return pause();
    }
    frameRequest = requestAnimationFrame(look);
  };
  frameRequest = requestAnimationFrame(look);
}
