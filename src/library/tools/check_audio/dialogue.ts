// The loudness of what people say, without the music and effects between: what films and series are delivered by.
import type { TimeRange } from '../../core/time-range.ts';
import { roundedDb } from '../../core/levels.ts';
import { meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { discard, drive } from '../../media/read/drive.ts';
import { openToMeasure } from '../../media/read/segments/open-segments.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { Stage } from '../../pcm/stage.ts';
import { listenForVoice, speechRegions } from '../../speech/activity/find-speech.ts';
import { extractSpeech } from '../../speech/speech-sound.ts';
import type { CheckAudioContext } from './options.ts';

/** What the speech of a recording measures. */
export interface DialogueFacts {
  /** Programme loudness (BS.1770-5 with its gates) of the stretches with speech alone, LUFS; null: there is none. */
  readonly dialogueLufs: number | null;
  /** Share of the recording in which there is speech, 0 to 100. */
  readonly dialoguePercent: number;
}

/** Passes on what lies in the ranges, which are in order, and nothing else. */
function within(ranges: readonly TimeRange[]): Stage {
  let rate = 1;
  let from = 0;
  let range = 0;
  return {
    latencyFrames: 0,
    open(format: AudioFormat) {
      rate = format.sampleRate;
      return format;
    },
    process({ planes, frames }, emit) {
      const to = from + frames;
      for (; range < ranges.length; range += 1) {
        const { startSeconds, endSeconds } = ranges[range] as TimeRange;
        const start = Math.max(from, Math.round(startSeconds * rate));
        const end = Math.min(to, Math.round(endSeconds * rate));
        if (end > start)
          emit({ planes: planes.map((plane) => plane.subarray(start - from, end - from)), frames: end - start });
        if (endSeconds * rate > to) break;
      }
      from = to;
    },
    flush: () => undefined,
    close: () => undefined,
  };
}

/**
 * Finds speech (Silero VAD v6) and measures it alone.
 * @throws EarshotError tool_unavailable without the model silero-vad; AbortError
 */
export async function measureDialogue(facts: MediaFacts, context: CheckAudioContext): Promise<DialogueFacts> {
  const { workDir, signal, fanOut, modelsDir, pass } = context;
  const sound = await extractSpeech(facts, workDir, {
    signal,
    onProgress: pass('reading', ['finding speech', 'measuring']),
  });
  try {
    const onProgress = pass('finding speech', ['measuring']);
    const voice = await listenForVoice(sound, { signal, fanOut, modelsDir, onProgress });
    const speech = speechRegions(voice, sound.durationSeconds);
    const seconds = speech.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
    const loudness = meterLoudness();
    const source = openToMeasure(facts, context);
    try {
      await drive(source, [within(speech), loudness], discard, { signal, onProgress: pass('measuring') });
      return {
        dialogueLufs: roundedDb(loudness.result().integratedLufs),
        dialoguePercent: Number(((100 * seconds) / Math.max(sound.durationSeconds, 1e-9)).toFixed(1)),
      };
    } finally {
      source.close();
    }
  } finally {
    sound.close();
  }
}
