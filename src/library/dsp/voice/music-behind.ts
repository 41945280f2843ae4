import { areOpposite } from '../../pcm/opposite-channels.ts';
import type { AsyncStage } from '../../pcm/stage.ts';
import { suppressorRate } from '../denoise/suppressor/suppressor.ts';
import { createSampleWindow } from '../denoise/suppressor/sample-window.ts';
import { type Listener, listenerRate } from '../listener/listener.ts';
import { musicClass } from '../listener/sound-classes.ts';
import { createDecimator } from '../repair/decimate.ts';
import { runsOf } from '../series/sliding.ts';
import type { SpeechActivity } from '../voicing/speech-activity.ts';

/**
 * In the pauses music that is meant has this mean score: nine in ten of 124 pieces. Rain with music far away, which is
 * noise, has .4 to .56.
 */
const leastMusic = 0.7;
/** Words ring on at the edges of a pause. */
const edgeSeconds = 0.05;
const leastPauseSeconds = 0.3;
const mostPauseSeconds = 10;
/** Of talk, pauses this close say what is behind it; further ones where there are none. */
const reachSeconds = 15;

interface Pause {
  readonly from: number;
  readonly to: number;
  readonly music: number;
}

/** @param music seconds in which it plays alone: they say nothing of the talk beside them */
function pausesOf({ speech, hopSeconds }: SpeechActivity, music: readonly number[]): Omit<Pause, 'music'>[] {
  const quiet = speech.map((on) => 1 - on);
  for (const second of music) quiet.fill(0, Math.round(second / hopSeconds), Math.round((second + 1) / hopSeconds));
  return runsOf(quiet).flatMap(({ start, end }) => {
    const [from, to] = [start * hopSeconds + edgeSeconds, end * hopSeconds - edgeSeconds];
    if (to - from < leastPauseSeconds) return [];
    const parts = Math.ceil((to - from) / mostPauseSeconds);
    return Array.from({ length: parts }, (_, part) => ({
      from: from + ((to - from) * part) / parts,
      to: from + ((to - from) * (part + 1)) / parts,
    }));
  });
}

/**
 * @param pauses in their order, none over another; at least one
 * @returns 1 for each second whose pauses are music
 */
export function musicBehind(seconds: number, pauses: readonly Pause[]): Uint8Array {
  const behind = new Uint8Array(seconds);
  const awayOf = (second: number, { from, to }: Pause): number => Math.max(0, from - second - 0.5, second + 0.5 - to);
  let first = 0;
  for (let second = 0; second < seconds; second += 1) {
    // Those before are further away than the next one, and than any that counts.
    const isPast = (pause: Pause): boolean => second + 0.5 - pause.to > reachSeconds;
    while (first + 1 < pauses.length && isPast(pauses[first] as Pause)) {
      const [now, next] = [pauses[first] as Pause, pauses[first + 1] as Pause];
      if (awayOf(second, next) > reachSeconds && awayOf(second, next) >= awayOf(second, now)) break;
      first += 1;
    }
    const reach = Math.max(reachSeconds, awayOf(second, pauses[first] as Pause));
    let [length, music] = [0, 0];
    for (let at = first; at < pauses.length && awayOf(second, pauses[at] as Pause) <= reach; at += 1) {
      const { from, to, music: score } = pauses[at] as Pause;
      length += to - from;
      music += (to - from) * score;
    }
    behind[second] = music >= leastMusic * length ? 1 : 0;
  }
  return behind;
}

/** Goes behind a recording at 48 kHz. */
export interface PauseListener extends AsyncStage {
  /** 1 for each second with music behind the voice. */
  result(): Uint8Array;
}

/**
 * Listens to the pauses of a voice: music behind it is masked while it speaks.
 * @param activity of the voice, as the noise suppressor left it
 * @param musicSeconds whole seconds of music without a voice
 */
export function listenInPauses(
  { hear }: Listener,
  activity: SpeechActivity,
  musicSeconds: readonly number[],
): PauseListener {
  const decimator = createDecimator(suppressorRate / listenerRate);
  const sound = createSampleWindow(1);
  const left = pausesOf(activity, musicSeconds);
  const heard: Pause[] = [];
  /** Of opposite channels the second is turned over. */
  let second = 1;
  const framesAt = (seconds: number): number => Math.round(seconds * suppressorRate);
  return {
    asynchronous: true,
    latencyFrames: 0,
    open: (format) => format,
    async process({ planes, frames }, emit) {
      const mean = new Float32Array(frames);
      if (areOpposite(planes, frames)) second = -1;
      for (const [index, plane] of planes.entries()) {
        const share = (index === 1 ? second : 1) / planes.length;
        for (let i = 0; i < frames; i += 1) mean[i] = (mean[i] as number) + (plane[i] as number) * share;
      }
      sound.append([mean], frames);
      for (let next = left[0]; next && framesAt(next.to) <= sound.end; next = left[0]) {
        const samples = decimator.run(sound.read(0, framesAt(next.from), framesAt(next.to)));
        heard.push({ ...next, music: (await hear(samples)).meanOf([musicClass]) });
        left.shift();
      }
      sound.discard(Math.min(sound.end, framesAt(left[0]?.from ?? Infinity)));
      emit({ planes, frames });
    },
    flush: () => Promise.resolve(),
    close: () => undefined,
    result() {
      const seconds = Math.ceil(activity.speech.length * activity.hopSeconds);
      return heard.length > 0 ? musicBehind(seconds, heard) : new Uint8Array(seconds);
    },
  };
}
