// Work on samples that needs a resampler or a network; see `measure.ts`.
import { requireSampleRate, type Sound, openSound } from '../../pcm/sound.ts';
import { runHere } from '../../dsp/denoise/suppressor/pieces.ts';
import { createFormatConverter, resampleTo } from '../../media/convert/format-converter.ts';
import { withoutBroken } from '../../pcm/broken-samples.ts';
import { listenForVoice, type SpeechRegion, speechRegions } from '../../speech/activity/find-speech.ts';
import { holdSpeech, speechRate } from '../../speech/speech-sound.ts';
import { gather, type HeldSound, passThrough } from './measure.ts';

/** Where and until when speech is looked for. */
export interface SpeechOptions {
  /** Folder with model files. Default: the models' own default place. */
  readonly modelsDir?: string;
  /** Aborts the search; its promise rejects with an AbortError. Default: none. */
  readonly signal?: AbortSignal;
}

/** See `resample` of `earshot/sound`. */
export function resampled(sound: HeldSound, sampleRate: number): Sound {
  const opened = openSound(sound);
  const { format } = opened;
  requireSampleRate(sampleRate);
  if (opened.frames === 0)
    return { samples: Array.from({ length: format.channels }, () => new Float32Array()), sampleRate };
  const gathered = gather(Math.ceil((opened.frames * sampleRate) / format.sampleRate) + 1);
  return { samples: passThrough(opened, [resampleTo(sampleRate)], gathered.emit, gathered.take), sampleRate };
}

/** See `findSpeech` of `earshot/sound`. */
export async function speechIn(
  sound: HeldSound,
  { modelsDir, signal = new AbortController().signal }: SpeechOptions,
): Promise<SpeechRegion[]> {
  const opened = openSound(sound);
  const converter = createFormatConverter(opened.format, { sampleRate: speechRate, channels: 1 });
  const gathered = gather(Math.ceil((opened.frames * speechRate) / opened.format.sampleRate) + 1);
  for (const block of opened.blocks()) {
    const converted = converter.convert(block);
    if (converted) gathered.emit(withoutBroken(converted));
  }
  const rest = converter.flush();
  if (rest) gathered.emit(withoutBroken(rest));
  converter.close();
  const speech = holdSpeech(gathered.take()[0] ?? new Float32Array());
  const fanOut = runHere(signal);
  const voice = await listenForVoice(speech, { fanOut, modelsDir, signal, onProgress: () => undefined });
  return speechRegions(voice, speech.durationSeconds);
}
