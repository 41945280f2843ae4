// In place of media/write/encode.ts: WAV by a writer of our own.
import { usualLayout } from '../../../../../library/core/channels.ts';
import type { Warning } from '../../../../../library/core/progress/progress.ts';
import { createFittingConverter } from '../../../../../library/media/convert/fitting-mix.ts';
import { channelsReduced, outputFormats } from '../../../../../library/media/formats.ts';
import type { Tags } from '../../../../../library/media/tags/model.ts';
import { besideChunks, carriedInto, lossesOf } from '../../../../../library/media/write/encode.ts';
import type {
  AudioSink,
  EncodeOptions,
  OnThreadsOption,
  ThreadedSink,
} from '../../../../../library/media/write/encode.ts';
import { openLabels } from '../../../../../library/media/write/labels.ts';
import type { AudioBlock, AudioFormat } from '../../../../../library/pcm/block.ts';
import { withoutBroken } from '../../../../../library/pcm/broken-samples.ts';
import { FullScaleMeter, overFullScale } from '../../../../../library/pcm/full-scale.ts';
import { notHere } from '../../../../media/not-here.ts';
import { interleaver } from '../../../../media/to-bytes.ts';
import { WaveFile } from '../../../../media/wave-file.ts';
import { factsWhenWritten } from '../read/probe.ts';

export type { AudioSink, EncodeOptions, OnThreadsOption, ThreadedSink };
export { afterwards, openOutput } from '../../../../../library/media/write/encode.ts';

const noTags: Tags = { entries: [], pictures: [] };
/** As for any integers (media/write/audio-encoder.ts). */
const mostMagnitude = 1000;

export function openEncoder(path: string, input: AudioFormat, options: EncodeOptions): ThreadedSink {
  if (options.format !== 'wav') throw notHere(`Files of the format ${options.format} are not written`);
  const limits = outputFormats.wav;
  const depth = options.bitDepth ?? '16';
  const warnings: Warning[] = [];
  const wanted = options.channels ?? input.channels;
  const channels = Math.min(wanted, limits.maxChannels);
  if (channels < wanted) warnings.push(channelsReduced(limits, wanted));
  const converter = createFittingConverter(input, { sampleRate: options.sampleRate ?? input.sampleRate, channels });
  const layout = channels > 2 ? converter.format.layout : usualLayout(channels);
  const format: AudioFormat = { ...converter.format, layout };
  const wave = carriedInto(options, format);
  const labels = openLabels('wav', {
    tags: besideChunks(options.tags ?? noTags, wave),
    chapters: wave.chapters(options.chapters ?? []),
  });
  const { coding_history: history } = wave.room.tags;
  const file = new WaveFile(path, format, depth, {
    tags: labels.metadata,
    bextBytes: history === undefined ? 0 : 602 + history.length + 1,
  });
  const toBytes = interleaver(depth, channels, options.dither === true);
  const isFloat = depth === '32f';
  const meter = isFloat ? null : new FullScaleMeter();
  const written = factsWhenWritten(path);
  let losses: readonly Warning[] = [];
  let foundBroken = false;
  const mended = (block: AudioBlock): AudioBlock => {
    const whole = withoutBroken(block, isFloat ? undefined : mostMagnitude);
    if (whole !== block && !foundBroken) {
      foundBroken = true;
      warnings.push({
        code: 'broken_samples',
        message:
          'Some samples are not numbers or far too large: they were replaced by silence or by the greatest level ' +
          'that codecs accept',
      });
    }
    return whole;
  };
  const put = (block: AudioBlock | null): void => {
    if (!block) return;
    meter?.look(block);
    file.append(toBytes(block));
  };
  return {
    written,
    format,
    bitrateKbps: null,
    get warnings() {
      return [...warnings, ...wave.warnings, ...losses];
    },
    write: (block) => put(converter.convert(mended(block))),
    ready: () => null,
    finish() {
      put(converter.flush());
      warnings.push(...converter.warnings());
      const over = meter && overFullScale(meter, 'wav', true);
      if (over) warnings.push(over);
      file.finish();
      wave.complete(path);
      labels.complete(path);
      losses = lossesOf(written, options);
      return null;
    },
    close: () => file.close(),
  };
}
