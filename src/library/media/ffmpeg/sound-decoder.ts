import { avChannelLayoutDefault, avGetCodecName, CodecContext, type Stream } from 'node-av/lib';
import { AV_EF_CRCCHECK, AV_EF_EXPLODE, AV_OPT_TYPE_FLAGS } from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import { findDecoder } from './decoders.ts';
import { describeCode } from './ffmpeg.ts';

/** Limits of `AudioFormat`. */
export const mostSampleRate = 768_000;
export const mostChannels = 64;

/**
 * A decoder for a stream of sound, on this thread alone. The caller frees it.
 * @throws EarshotError unsupported_format, file_invalid
 */
export function openSoundDecoder({ codecpar, timeBase }: Stream): CodecContext {
  if (codecpar.sampleRate > mostSampleRate || codecpar.channels > mostChannels) {
    throw new EarshotError(
      'unsupported_format',
      `Expected at most ${mostSampleRate} Hz and ${mostChannels} channels but the file declares ` +
        `${codecpar.sampleRate} Hz and ${codecpar.channels}; it may be damaged`,
    );
  }
  const decoder = findDecoder(codecpar.codecId, 'sound');
  const context = new CodecContext();
  context.allocContext3(decoder);
  context.parametersToContext(codecpar);
  context.pktTimebase = timeBase;
  context.threadCount = 1;
  // A damaged frame is not noise: its checksum says so.
  if (avGetCodecName(codecpar.codecId) === 'flac')
    context.setOption('err_detect', AV_EF_CRCCHECK | AV_EF_EXPLODE, AV_OPT_TYPE_FLAGS);
  // Plain WAV declares no layout; the resampler needs one that stays the same for all frames.
  if (context.channelLayout.mask === 0n) context.channelLayout = avChannelLayoutDefault(codecpar.channels);
  const opened = context.open2Sync(decoder, null);
  if (opened < 0) throw new EarshotError('file_invalid', `The sound cannot be decoded: ${describeCode(opened)}`);
  return context;
}
