import { dbToGain } from '../../core/levels.ts';
import type { Warning } from '../../core/progress.ts';
import { phrasesOf } from '../../dsp/gain/duck.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import type { HopRun } from '../../dsp/series/sliding.ts';
import { findSpeech } from '../../dsp/voicing/speech-activity.ts';
import { integratedOfHops } from '../../dsp/voicing/hop-loudness.ts';
import { meterSpeechLevels, type SpeechLevels } from '../../dsp/voicing/speech-levels.ts';
import { discard, drive, type PassOptions } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { commonFormatOf } from '../../media/read/lockstep.ts';
import { mixInto } from '../../kernels/ops.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { openMix } from './mixer.ts';
import type { TrackSetting } from './options.ts';

export interface TrackReading {
  readonly facts: MediaFacts;
  /** Of the track by itself, before its volume; a mono track as mono. null for silence. */
  readonly integratedLufs: number | null;
  readonly durationSeconds: number;
  /** What is said on a voice track, in hops of `levelHopSeconds`; null for others, and when nobody asked. */
  readonly phrases: readonly HopRun[] | null;
  /** Loudness of what is said, as it stands in the mix's format, LUFS; null where nothing is said or nobody asked. */
  readonly speechLufs: number | null;
  /** K-weighted mean square of a voice track's hops, before its volume; null for others, and when nobody asked. */
  readonly energy: Float32Array | null;
}

export interface MixAnalysis {
  /** What the tracks are mixed in. */
  readonly format: AudioFormat;
  readonly frames: number;
  readonly tracks: readonly TrackReading[];
  /** K-weighted mean square of the sum of all music, with volumes, every `musicHopSeconds`; null when nobody asked. */
  readonly music: Float32Array | null;
  /** Of the sum with volumes, without matching and ducking. */
  readonly sum: LoudnessReading;
  readonly warnings: readonly Warning[];
}

/** Music is measured in the steps of a loudness meter: ten hours are 1.4 MB. */
export const musicHopSeconds = 0.1;

/** Voices softer than this are listened to as if they were as loud as a usual one, LUFS. */
const softVoiceLufs = -35;
const usualVoiceLufs = -20;

type Voice = Pick<TrackReading, 'phrases' | 'speechLufs' | 'energy'>;

/** What is said on a voice track, and how loud. */
function heardOn(levels: SpeechLevels, integratedLufs: number | null): Voice {
  const { energy } = levels;
  const lift = integratedLufs === null || integratedLufs > softVoiceLufs ? 0 : usualVoiceLufs - integratedLufs;
  const scale = (db: number): void => {
    const gain = 10 ** (db / 10);
    if (db !== 0) for (let hop = 0; hop < energy.length; hop += 1) energy[hop] = gain * (energy[hop] as number);
  };
  scale(lift);
  const activity = findSpeech(levels);
  const phrases = phrasesOf(activity);
  scale(-lift);
  // Only what is a phrase counts; the mask has served.
  const { speech } = activity;
  let at = 0;
  for (const { start, end } of phrases) {
    speech.fill(0, at, start);
    at = end;
  }
  speech.fill(0, at);
  return { phrases, speechLufs: integratedOfHops(energy, levels.hopSeconds, null, speech), energy };
}

export interface Listening {
  /** To what is said on voice tracks. */
  readonly voices: boolean;
  /** To how loud the music is from moment to moment. */
  readonly music: boolean;
}

/**
 * Reads all tracks once, side by side: each one's loudness, the speech on voice tracks, the levels of the music, and
 * the loudness of the sum.
 */
export async function analyseTracks(
  paths: readonly string[],
  settings: readonly TrackSetting[],
  listen: Listening,
  options: PassOptions,
): Promise<MixAnalysis> {
  const format = commonFormatOf(paths);
  const meters = paths.map((_, index) => ({
    loudness: meterLoudness(),
    speech: listen.voices && settings[index]?.role === 'voice' ? meterSpeechLevels({ peaks: false }) : null,
    frames: 0,
  }));
  const sum = meterLoudness();
  const music = listen.music ? meterSpeechLevels({ peaks: false, tones: false, hopSeconds: musicHopSeconds }) : null;
  const own: Analyser<unknown>[] = meters.flatMap(({ loudness, speech }) => (speech ? [loudness, speech] : [loudness]));
  if (music) own.push(music);
  const bed = Array.from({ length: music ? format.channels : 0 }, () => new Float32Array(format.sampleRate));
  for (const meter of own) meter.open(format);
  const mix = openMix({ paths, settings, format, duck: null }, (block) => {
    for (const [index, track] of block.tracks.entries()) {
      const meter = meters[index] as (typeof meters)[number];
      meter.frames += track.ownFrames;
      if (track.ownFrames === 0) continue;
      // Only what the track has: the silence behind its end would count in nothing but the time it takes.
      const sound = {
        planes: track.planes.map((plane) => plane.subarray(0, track.ownFrames)),
        frames: track.ownFrames,
      };
      meter.loudness.process(sound, discard);
      meter.speech?.process(sound, discard);
      if (music && settings[index]?.role === 'music')
        mixInto(bed, track.planes, dbToGain(settings[index].volume_db), block.frames);
    }
    music?.process({ planes: bed.map((plane) => plane.subarray(0, block.frames)), frames: block.frames }, discard);
    for (const plane of bed) plane.fill(0);
  });
  try {
    const frames = await drive(mix, [sum], discard, options);
    for (const meter of own) meter.flush(discard);
    return {
      format,
      frames,
      tracks: meters.map(({ loudness, speech, frames: ownFrames }, index) => {
        const fact = mix.facts[index] as MediaFacts;
        const read = loudness.result().integratedLufs;
        // On both sides a mono track is 3 LU louder than it is by itself.
        const doubled = fact.audio?.channels === 1 && format.channels === 2 ? 10 * Math.log10(2) : 0;
        return {
          facts: fact,
          integratedLufs: read === null ? null : read - doubled,
          durationSeconds: ownFrames / format.sampleRate,
          ...(speech ? heardOn(speech.result(), read) : { phrases: null, speechLufs: null, energy: null }),
        };
      }),
      music: music?.result().energy ?? null,
      sum: sum.result(),
      warnings: mix.warnings,
    };
  } finally {
    for (const meter of own) meter.close();
    mix.close();
  }
}
