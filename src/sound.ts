/**
 * Work on samples in the own process: no file and no child. `earshot/sound` loads the native kernels; networks are
 * loaded by the functions that need them, which answer promises.
 */
// oxlint-disable-next-line import/no-unassigned-import -- it throws on a Node that is too old
import './library/core/start/oldest-node.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it throws on a system that nothing of ours runs on
import './library/core/start/needs-glibc.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it throws in a bundle
import './library/core/start/whole-installation.ts';
import type { Sound } from './library/pcm/sound.ts';
import type { SpeechOptions } from './library/runtime/sound/hear.ts';
import type {
  StreamTranscribeOptions,
  StreamTranscriptionOptions,
} from './library/runtime/recipes/stream-transcription.ts';
import type { NoiseRemovalOptions, WordsStage } from './library/runtime/sound/live-stages.ts';
import type { HeldSound } from './library/runtime/sound/measure.ts';
import type { SoundStage, StageForm } from './library/runtime/sound/stages.ts';
import type { SpeechRegion } from './library/speech/activity/find-speech.ts';

export {
  detectSilence,
  limit,
  measureLoudness,
  peaks,
  truePeak,
  type HeldSound,
  type LimitedSound,
  type LimitSoundOptions,
  type PeakReading,
  type SilenceOptions,
} from './library/runtime/sound/measure.ts';
export {
  limiter,
  meter,
  type MeterOptions,
  type MeterReading,
  type MeterStage,
  type SoundStage,
  type StageForm,
} from './library/runtime/sound/stages.ts';
export type { NoiseRemovalOptions, WordsStage } from './library/runtime/sound/live-stages.ts';
export type {
  StreamTranscribeOptions,
  StreamTranscriptionOptions,
} from './library/runtime/recipes/stream-transcription.ts';
export type { LiveSentence } from './library/tools/option-types.ts';
export type { SpeechOptions } from './library/runtime/sound/hear.ts';
export type { AudioBufferLike, HeldSamples, SampleBlock, Sound } from './library/pcm/sound.ts';
export type { LoudnessReading } from './library/dsp/loudness/loudness-meter.ts';
export type { Silences } from './library/dsp/pauses/silences.ts';
export type { WaveformPeaks } from './library/waveform/meter-peaks.ts';
export type { SpeechRegion } from './library/speech/activity/find-speech.ts';
export { EarshotError } from './library/core/errors/errors.ts';

/**
 * Another sample rate, as convert_audio: a windowed sinc of 80 taps at the lower rate, flat within 0.001 dB to 0.9 of
 * the lower Nyquist frequency, images and aliases below -100 dB from 1.07 of it on.
 * @param sampleRate frames per second of the result, whole, 1 to 768000
 * @throws EarshotError bad_request for what is no sound, and for a rate more than 65,536 times lower
 */
export async function resample(sound: HeldSound, sampleRate: number): Promise<Sound> {
  return (await import('./library/runtime/sound/hear.ts')).resampled(sound, sampleRate);
}

/**
 * Where somebody speaks, as the tools find it: Silero VAD's regions of 0.1 s and longer, joined over pauses under
 * 0.3 s. It is heard in this thread, which it holds for some milliseconds at a time.
 * @throws EarshotError bad_request for what is no sound; tool_unavailable without the model silero-vad; AbortError
 */
export async function findSpeech(sound: HeldSound, options: SpeechOptions = {}): Promise<SpeechRegion[]> {
  return (await import('./library/runtime/sound/hear.ts')).speechIn(sound, options);
}

/**
 * Removes noise from sound as it arrives, by DeepFilterNet3 (under 40 ms behind) or RNNoise (under 30 ms), in this
 * thread; at other rates than 48 kHz with two resamplers, a few milliseconds more. It is the bare network, which cannot
 * look ahead as remove_noise does, so it takes the level as it comes: DeepFilterNet3 hears best at about -20 dBFS RMS,
 * RNNoise at -30. Two channels are one scene and share a filter with DeepFilterNet3; other channels stand alone.
 * @throws EarshotError bad_request for a form out of range; tool_unavailable without the model asked for
 */
export async function noiseRemoval(form: StageForm, options: NoiseRemovalOptions = {}): Promise<SoundStage> {
  return (await import('./library/runtime/sound/live-stages.ts')).removeNoise(form, options);
}

/**
 * Words as they are said: `transcribeStream` as a stage, which starts a process of its own when sentences are first
 * read.
 * @param options of transcribe_audio; default: its defaults
 * @throws EarshotError bad_request for a form out of range
 */
export async function liveWords(
  form: StageForm,
  options: StreamTranscribeOptions = {},
  control: StreamTranscriptionOptions = {},
): Promise<WordsStage> {
  return (await import('./library/runtime/sound/live-stages.ts')).words(form, options, control);
}
