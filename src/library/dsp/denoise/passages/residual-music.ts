import { areOpposite } from '../../../pcm/opposite-channels.ts';
import type { Analyser, Stage } from '../../../pcm/stage.ts';
import type { ChannelLevels } from '../level/channel-levels.ts';
import { tidy } from '../../series/sliding.ts';
import { levellingCurve } from '../level/levelling-curve.ts';
import { createSampleWindow } from '../suppressor/sample-window.ts';
import { suppressorRate } from '../suppressor/suppressor.ts';
import { createPowerEar, earFactor, hopsPerSecond } from './power-ear.ts';
import { meterStandingTones, type StandingTones } from './standing-tones.ts';
import { meterRhythm, type Rhythm } from './strokes.ts';
import { majority, majorityReach } from './musical-seconds.ts';

/** Level for the analysis, dBFS RMS above 150 Hz. */
const judgedDbfs = -20;
/** Removed sound this far below the whole is ignored, dB. */
const faintDb = -26;
/** Below this, a beat cannot be told from the residue of a voice, dB. */
const faintBeatDb = -18;
/** Seconds on either side of the judged second's middle. */
const reachSeconds = 4;
/** Neighbours of a second of music are music, too. */
const growSeconds = 1;
/** Background music does not stop for shorter gaps, seconds. */
const longestGap = 5;

/** Tones that glide into each other are a motor's. */
const mostGliding = 0.55;
/** Similarity and share of one constant tone. */
const sameTone = 0.8;
const sameToneShare = 0.08;
/** Beats include a drum or a bass; ticks, rattles and chirps are above this register. */
const highestRegister = 5.6;
/** Least rise of strokes, dB; swaying sounds (an engine, a crowd) have less. */
const leastStrength = 3;

/**
 * Is the removed sound music? It has constant tones that are followed by others; or some of them and a beat; or a beat
 * of several instruments; or a beat of varied strokes. A hum, a fan and an alarm have the same tones throughout, a
 * drill's glide, machines have one kind of stroke, a clock's are all high, and the residue of voices has none of these.
 * Thresholds by measurement: `node bench/quality/run.ts --music`.
 * @param levelDb level of the removed sound relative to the whole
 */
function isMusic(tones: StandingTones, beat: Rhythm, levelDb: number): boolean {
  const { share, filled, likeness } = tones;
  const changes = likeness <= 0.6;
  const notes = changes && tones.gliding <= mostGliding;
  const tonal = share >= 0.08 && filled >= 0.65;
  const both = beat.pulse >= 0.35 && share >= 0.03 && filled >= 0.45;
  const strokes = beat.register <= highestRegister && beat.strength >= leastStrength;
  const played = beat.pulse >= 0.42 && beat.inStep <= 0.45 && filled >= 0.18;
  const one = share >= sameToneShare && likeness >= sameTone;
  const struck = beat.pulse >= 0.45 && beat.likeness <= 0.865 && levelDb >= faintBeatDb && !one;
  return (notes && (tonal || both)) || (strokes && ((changes && played) || struck));
}

/** Goes around a noise suppressor and analyses what it removes. */
export interface ResidualMusic {
  readonly before: Stage;
  /** Its result: 1 for each second in which the suppressor removes music. */
  readonly behind: Analyser<Uint8Array>;
}

/** A sixth of the rate is enough for tones and beat. */
function createSlower(): (plane: Float32Array) => Float32Array {
  const state = { sum: 0, count: 0 };
  return (plane) => {
    let { sum, count } = state;
    const out = new Float32Array(Math.floor((count + plane.length) / earFactor));
    let got = 0;
    for (const x of plane) {
      if (x < 1e6 && x > -1e6) sum += x;
      count += 1;
      if (count < earFactor) continue;
      out[got] = sum / earFactor;
      got += 1;
      sum = 0;
      count = 0;
    }
    Object.assign(state, { sum, count });
    return out;
  };
}

/**
 * Distinguishes voice over music from voice in noise by what a suppressor removes: the output says nothing about the
 * background, and what a voice masks is audible once the voice is gone.
 * @param levels of a first pass
 */
export function listenToResidual(levels: ChannelLevels): ResidualMusic {
  const all = levels.perChannel.map((_, channel) => channel);
  const curve = levellingCurve(levels, all, judgedDbfs, suppressorRate);
  const dry = createSampleWindow(1);
  const [heard, taken] = [createPowerEar(), createPowerEar()];
  const [tones, beat] = [meterStandingTones(), meterRhythm()];
  let end = 0;
  const slower = createSlower();
  const core: number[] = [];
  /** Of opposite channels the second is turned over; the same before and behind, which are compared. */
  let second = 1;
  const meanOf = (planes: readonly Float32Array[], frames: number): Float32Array => {
    const mean = new Float32Array(frames);
    if (areOpposite(planes, frames)) second = -1;
    for (const [index, plane] of planes.entries()) {
      const share = (index === 1 ? second : 1) / planes.length;
      for (let i = 0; i < frames; i += 1) mean[i] = (mean[i] as number) + (plane[i] as number) * share;
    }
    return mean;
  };
  const judge = (second: number): boolean => {
    const [from, to] = [
      Math.max(0, (second - 1) * hopsPerSecond),
      Math.min(taken.end, heard.end, (second + 2) * hopsPerSecond),
    ];
    if (to <= from) return false;
    const total = (values: Float32Array): number => values.reduce((all, x) => all + x, 0);
    const levelDb = 10 * Math.log10(total(taken.power(from, to)) / (total(heard.power(from, to)) + 1e-20) + 1e-20);
    if (levelDb < faintDb) return false;
    const [begin, stop] = [second + 0.5 - reachSeconds, second + 0.5 + reachSeconds];
    return isMusic(
      tones.tones(begin, stop),
      beat.rhythm(Math.round(begin * hopsPerSecond), Math.round(stop * hopsPerSecond)),
      levelDb,
    );
  };
  const judgeTo = (seconds: number): void => {
    while (core.length < seconds) core.push(judge(core.length) ? 1 : 0);
    const keep = core.length - reachSeconds - 1;
    tones.discard(keep);
    beat.discard(keep * hopsPerSecond);
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
        const start = end;
        const original = dry.read(0, start, start + block.frames);
        dry.discard(start + block.frames);
        const rest = meanOf(block.planes, block.frames).map((x, i) => (original[i] as number) - x);
        curve.apply([original, rest], start, block.frames, false);
        end += block.frames;
        taken.push(rest, block.frames);
        heard.push(original, block.frames);
        const slow = slower(rest);
        tones.push(slow);
        beat.push(slow);
        judgeTo(Math.floor(end / suppressorRate - reachSeconds - 1));
        emit(block);
      },
      flush: () => undefined,
      close: () => undefined,
      result() {
        judgeTo(Math.ceil(end / suppressorRate));
        const mostly = core.map((_, second) => {
          let count = 0;
          for (let near = second - majorityReach; near <= second + majorityReach; near += 1) count += core[near] ?? 0;
          return count >= majority;
        });
        const music = Uint8Array.from(core, (_, second) =>
          mostly.slice(Math.max(0, second - growSeconds), second + growSeconds + 1).some(Boolean) ? 1 : 0,
        );
        tidy(music, longestGap, majority);
        return music;
      },
    },
  };
}
