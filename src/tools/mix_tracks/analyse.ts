import type { Warning } from '../../core/progress.ts';
import { phrasesOf } from '../../dsp/gain/duck.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import type { HopRun } from '../../dsp/series/sliding.ts';
import { findSpeech } from '../../dsp/voicing/speech-activity.ts';
import { meterSpeechLevels } from '../../dsp/voicing/speech-levels.ts';
import { discard, drive, type PassOptions } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { commonFormatOf } from '../../media/read/lockstep.ts';
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
}

export interface MixAnalysis {
  /** What the tracks are mixed in. */
  readonly format: AudioFormat;
  readonly frames: number;
  readonly tracks: readonly TrackReading[];
  /** Of the sum with volumes and without ducking. */
  readonly sum: LoudnessReading;
  readonly warnings: readonly Warning[];
}

/**
 * Reads all tracks once, side by side: each one's loudness, the speech on voice tracks, and the loudness of the sum.
 */
export async function analyseTracks(
  paths: readonly string[],
  settings: readonly TrackSetting[],
  listenForSpeech: boolean,
  options: PassOptions,
): Promise<MixAnalysis> {
  const format = commonFormatOf(paths);
  const meters = paths.map((_, index) => ({
    loudness: meterLoudness(),
    speech: listenForSpeech && settings[index]?.role === 'voice' ? meterSpeechLevels({ peaks: false }) : null,
    frames: 0,
  }));
  const sum = meterLoudness();
  const own: Analyser<unknown>[] = meters.flatMap(({ loudness, speech }) => (speech ? [loudness, speech] : [loudness]));
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
    }
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
          phrases: speech ? phrasesOf(findSpeech(speech.result())) : null,
        };
      }),
      sum: sum.result(),
      warnings: mix.warnings,
    };
  } finally {
    for (const meter of own) meter.close();
    mix.close();
  }
}
