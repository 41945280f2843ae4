// Which loudspeakers a codec is told its channels belong to.
import { avChannelLayoutDefault, type ChannelLayout } from 'node-av/lib';
import {
  AV_CHANNEL_ORDER_NATIVE,
  FF_ENCODER_LIBOPUS,
  FF_ENCODER_LIBVORBIS,
  type FFAudioEncoder,
} from 'node-av/constants';
import { knownSpeakers, layoutMask, type Speaker, usualLayout } from '../../core/channels.ts';

export interface CodecLayout {
  /** FFmpeg's name. */
  readonly name: string;
  readonly channels: number;
  /** For each channel of the codec, the input channel that goes there; null: silence. Null: all in their own order. */
  readonly route: readonly (number | null)[] | null;
}

/** The only layouts of Vorbis and Opus, by their number of channels (Vorbis I, section 4.3.9; RFC 7845, 5.1.1.2). */
const vorbisLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'];

const twins: Partial<Record<Speaker, Speaker>> = { SL: 'BL', SR: 'BR', BL: 'SL', BR: 'SR' };

/** The smallest of the codec's layouts that has a place for each loudspeaker; a lone pair may stand at side or back. */
function vorbisLayout(speakers: readonly Speaker[]): CodecLayout | null {
  const hasBothPairs = speakers.includes('SL') && speakers.includes('BL');
  for (const name of vorbisLayouts) {
    const target = knownSpeakers(name, vorbisLayouts.indexOf(name) + 1) ?? [];
    const placeOf = (speaker: Speaker): number => {
      const own = target.indexOf(speaker);
      const twin = twins[speaker];
      return own >= 0 || hasBothPairs || twin === undefined ? own : target.indexOf(twin);
    };
    const places = speakers.map(placeOf);
    if (places.includes(-1)) continue;
    const route = target.map((_, at) => (places.includes(at) ? places.indexOf(at) : null));
    return { name, channels: target.length, route };
  }
  return null;
}

/**
 * FFmpeg 8.1's Opus encoder mixes up the channels of 5.0 and 6.1 (opusdec hears it, too): the order in which it must be
 * given them to put them right.
 */
const opusOrder: Readonly<Record<number, readonly number[]>> = { 5: [0, 1, 4, 2, 3], 7: [0, 1, 4, 3, 5, 2, 6] };

function opusLayout(chosen: CodecLayout): CodecLayout {
  const order = opusOrder[chosen.channels];
  const { route } = chosen;
  return order ? { ...chosen, route: order.map((at) => (route ? (route[at] ?? null) : at)) } : chosen;
}

/** Where the channels of a layout go in this codec; the usual layout of their number where it cannot have theirs. */
export function codecLayout(encoder: FFAudioEncoder, layout: string, channels: number): CodecLayout {
  const plain: CodecLayout = { name: usualLayout(channels), channels, route: null };
  const speakers = channels > 2 ? knownSpeakers(layout, channels) : null;
  if (encoder === FF_ENCODER_LIBOPUS) return opusLayout((speakers && vorbisLayout(speakers)) ?? plain);
  if (!speakers) return plain;
  if (encoder === FF_ENCODER_LIBVORBIS) return vorbisLayout(speakers) ?? plain;
  return { name: layout, channels, route: null };
}

/** A layout as FFmpeg has it: by its loudspeakers where we know them, else the usual one of so many channels. */
export function ffmpegLayout(name: string, channels: number): ChannelLayout {
  const mask = layoutMask(name, channels);
  const usual = avChannelLayoutDefault(channels);
  return mask === null ? usual : { ...usual, order: AV_CHANNEL_ORDER_NATIVE, nbChannels: channels, mask };
}

/** Are two layouts the same but for a pair that stands at the side in one and at the back in the other? */
export function sameSpeakers(one: string, other: string): boolean {
  const plain = (layout: string): string => layout.replace('(side)', '').replace('(back)', '');
  return plain(one) === plain(other);
}
