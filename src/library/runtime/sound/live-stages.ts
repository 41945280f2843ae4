// Stages that need networks or a process; see `stages.ts`.
import { badValue } from '../../core/checks/schema.ts';
import { createDenoiser } from '../../dsp/denoise/denoiser.ts';
import { chooseNoiseEngine, type NoiseEngineId, noiseEngineIds } from '../../dsp/denoise/engines.ts';
import { runHere } from '../../dsp/denoise/suppressor/pieces.ts';
import { suppressorRate } from '../../dsp/denoise/suppressor/suppressor.ts';
import { converterLate } from '../../kernels/rate-converter.ts';
import { resampleTo } from '../../media/convert/format-converter.ts';
import type { AnyStage } from '../../pcm/stage.ts';
import type { SampleBlock } from '../../pcm/sound.ts';
import type { LiveSentence } from '../../tools/option-types.ts';
import {
  transcribeStream,
  type StreamTranscribeOptions,
  type StreamTranscriptionOptions,
} from '../recipes/stream-transcription.ts';
import { type SoundStage, type StageForm, stageFormat, streamOfStages } from './stages.ts';

/** How noise is removed from sound as it arrives. */
export interface NoiseRemovalOptions {
  /** The network. Default: deepfilternet3 where it is installed, else rnnoise. */
  readonly engine?: NoiseEngineId;
  /** Folder with model files. Default: the models' own default place. */
  readonly modelsDir?: string;
}

/** Words as they are said: sound goes in, and sentences come out. */
export interface WordsStage {
  /** Where the sound goes in; its end ends the sentences. */
  readonly writable: WritableStream<SampleBlock>;
  /** The sentences, with times in seconds from the sound's start. */
  readonly readable: ReadableStream<LiveSentence>;
}

/** See `noiseRemoval` of `earshot/sound`. */
export async function removeNoise(
  form: StageForm,
  { engine: wanted, modelsDir }: NoiseRemovalOptions,
): Promise<SoundStage> {
  const { sampleRate, channels } = stageFormat(form);
  if (wanted !== undefined && !noiseEngineIds.includes(wanted))
    throw badValue('engine', `one of ${noiseEngineIds.join(', ')}`, wanted);
  const engine = await chooseNoiseEngine(modelsDir, wanted ?? null);
  const here = runHere(new AbortController().signal);
  const all = Array.from({ length: channels }, (_, channel) => channel);
  const denoiser = createDenoiser({
    // Two channels are taken for one scene: who records two voices apart removes noise from each alone.
    groups: { groups: channels === 2 ? [all] : all.map((channel) => [channel]), untouched: [] },
    createSuppressor: engine.createLiveSuppressor,
    runner: here,
    here,
    cores: 1,
  });
  if (sampleRate === suppressorRate) return streamOfStages(form, [denoiser], engine.liveDelay);
  const stages: AnyStage[] = [resampleTo(suppressorRate), denoiser, resampleTo(sampleRate)];
  const delaySeconds = engine.liveDelay / suppressorRate + (2 * converterLate) / Math.min(sampleRate, suppressorRate);
  return streamOfStages(form, stages, Math.ceil(delaySeconds * sampleRate));
}

/** See `liveWords` of `earshot/sound`. */
export function words(
  form: StageForm,
  options: StreamTranscribeOptions,
  control: StreamTranscriptionOptions,
): WordsStage {
  const { sampleRate, channels } = stageFormat(form);
  const { readable: samples, writable } = new TransformStream<SampleBlock, SampleBlock>();
  const sentences = transcribeStream({ samples, sampleRate, channels }, options, control);
  return { writable, readable: ReadableStream.from(sentences) };
}
