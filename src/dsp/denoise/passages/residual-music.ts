import type { Analyser, Stage } from '../../../pcm/stage.ts';
import type { ChannelLevels } from '../level/channel-levels.ts';
import { levellingCurve } from '../level/levelling-curve.ts';
import { createSampleWindow } from '../suppressor/sample-window.ts';
import { suppressorRate } from '../suppressor/suppressor.ts';
import { characterReachSeconds, type Hearing, hearSecond, type SecondHeard } from './ear.ts';
import { characterOf, isMusic, musicReachSeconds } from './music.ts';
import { createPowerEar, hopsPerSecond } from './power-ear.ts';

/** Level at which passages are judged, dBFS RMS above 150 Hz. */
const judgedDbfs = -20;
/** What is taken away and lies further than this under the whole is not worth a thought, dB. */
const faintDb = -18;
/** A voice leaves traces in what is taken away; they glide. */
const leastSteady = 0.12;
/** A second is music when most of those around it are, and so are its neighbours. */
const majorityReach = 2;
const majority = 3;
const growSeconds = 1;

/** Stands around a noise suppressor and listens to what it takes away. */
export interface ResidualMusic {
  readonly before: Stage;
  /** Its result: 1 for each second in which the suppressor takes music away. */
  readonly behind: Analyser<Uint8Array>;
}

/**
 * Tells voice over music from voice in noise by what a suppressor takes away: what is left of a voice tells nothing of
 * its background, and what a voice masks is heard clearly once the voice is gone. The decision is that of `isMusic`.
 * @param levels of a first pass
 * @param seconds length of the recording
 */
export function listenToResidual(levels: ChannelLevels): ResidualMusic {
  const all = levels.perChannel.map((_, channel) => channel);
  const curve = levellingCurve(levels, all, judgedDbfs, suppressorRate);
  const [dry, gone] = [createSampleWindow(1), createSampleWindow(1)];
  const [heard, taken] = [createPowerEar(), createPowerEar()];
  const known = new Map<number, SecondHeard>();
  const core: number[] = [];
  const meanOf = (planes: readonly Float32Array[], frames: number): Float32Array => {
    const mean = new Float32Array(frames);
    for (const plane of planes)
      for (let i = 0; i < frames; i += 1) mean[i] = (mean[i] as number) + (plane[i] as number) / planes.length;
    return mean;
  };
  const hearing: Hearing = {
    get end() {
      return taken.end;
    },
    heard: taken.power,
    // As though a suppressor had got what was taken away, and had left nothing of it.
    left: (from, to) => new Float32Array(to - from),
    second(second) {
      let here = known.get(second);
      if (!here) known.set(second, (here = hearSecond(second, (from, to) => gone.read(0, from, to))));
      return here;
    },
  };
  const judge = (second: number): boolean => {
    const [from, to] = [
      Math.max(0, (second - 1) * hopsPerSecond),
      Math.min(taken.end, heard.end, (second + 2) * hopsPerSecond),
    ];
    if (to <= from) return false;
    const sum = (values: Float32Array): number => values.reduce((total, x) => total + x, 0);
    if (sum(taken.power(from, to)) < 10 ** (faintDb / 10) * sum(heard.power(from, to))) return false;
    const character = characterOf(hearing, second);
    if (character === null || !isMusic(character, 0)) return false;
    return character.steady >= leastSteady || character.harmonic < 0.5;
  };
  const judgeTo = (end: number): void => {
    while (core.length < end) core.push(judge(core.length) ? 1 : 0);
    const keep = core.length - musicReachSeconds - 2;
    for (const second of known.keys()) if (second < keep) known.delete(second);
    gone.discard((keep - characterReachSeconds) * suppressorRate);
    taken.discard(keep * hopsPerSecond);
    heard.discard(keep * hopsPerSecond);
  };
  return {
    before: {
      latencyFrames: 0,
      open: (format) => format,
      process(block, emit) {
        dry.append([meanOf(block.planes, block.frames)], block.frames);
        emit(block);
      },
      flush: () => undefined,
      close: () => undefined,
    },
    behind: {
      latencyFrames: 0,
      open: (format) => format,
      process(block, emit) {
        const start = gone.end;
        const original = dry.read(0, start, start + block.frames);
        dry.discard(start + block.frames);
        const rest = meanOf(block.planes, block.frames).map((x, i) => (original[i] as number) - x);
        curve.apply([original, rest], start, block.frames, false);
        gone.append([rest], block.frames);
        taken.push(rest, block.frames);
        heard.push(original, block.frames);
        judgeTo(Math.floor(gone.end / suppressorRate - musicReachSeconds - 1));
        emit(block);
      },
      flush: () => undefined,
      close: () => undefined,
      result() {
        judgeTo(Math.ceil(gone.end / suppressorRate));
        const mostly = core.map((_, second) => {
          let count = 0;
          for (let near = second - majorityReach; near <= second + majorityReach; near += 1) count += core[near] ?? 0;
          return count >= majority;
        });
        return Uint8Array.from(core, (_, second) =>
          mostly.slice(Math.max(0, second - growSeconds), second + growSeconds + 1).some(Boolean) ? 1 : 0,
        );
      },
    },
  };
}
