// Assigns channels to a codec's loudspeakers.
import { avChannelLayoutDefault, type ChannelLayout } from 'node-av/lib';
import {
  AV_CHANNEL_ORDER_NATIVE,
  FF_ENCODER_LIBOPUS,
  FF_ENCODER_LIBVORBIS,
  type FFAudioEncoder,
} from 'node-av/constants';
import { knownSpeakers, layoutMask, type Speaker, usualLayout } from '../../../core/channels.ts';

export interface CodecLayout {
  /** FFmpeg's name. */
  readonly name: string;
  readonly channels: number;
  /** For each channel of the codec, its input channel; null: silence. null for all: unchanged order. */
  readonly route: readonly (number | null)[] | null;
}

/** The only layouts of Vorbis and Opus, by their number of channels (Vorbis I, section 4.3.9; RFC 7845, 5.1.1.2). */
const vorbisLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'];

const twins: Partial<Record<Speaker, Speaker>> = { SL: 'BL', SR: 'BR', BL: 'SL', BR: 'SR' };

/** The smallest of the codec's layouts with all these loudspeakers; a single pair may be side or back. */
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

/** Corrects the channel order of 5.0 and 6.1, which FFmpeg 8.1's Opus encoder mixes up (audible with opusdec, too). */
const opusOrder: Readonly<Record<number, readonly number[]>> = { 5: [0, 1, 4, 2, 3], 7: [0, 1, 4, 3, 5, 2, 6] };

function opusLayout(chosen: CodecLayout): CodecLayout {
  const order = opusOrder[chosen.channels];
  const { route } = chosen;
  return order ? { ...chosen, route: order.map((at) => (route ? (route[at] ?? null) : at)) } : chosen;
}

/** The codec's layout for a given one; the usual layout for the number of channels where it has no match. */
export function codecLayout(encoder: FFAudioEncoder, layout: string, channels: number): CodecLayout {
  const plain: CodecLayout = { name: usualLayout(channels), channels, route: null };
  const speakers = channels > 2 ? knownSpeakers(layout, channels) : null;
  if (encoder === FF_ENCODER_LIBOPUS) return opusLayout((speakers && vorbisLayout(speakers)) ?? plain);
  if (!speakers) return plain;
  if (encoder === FF_ENCODER_LIBVORBIS) return vorbisLayout(speakers) ?? plain;
  return { name: layout, channels, route: null };
}

/** A layout for FFmpeg: by its loudspeakers if known, else the usual one for the number of channels. */
export function ffmpegLayout(name: string, channels: number): ChannelLayout {
  const mask = layoutMask(name, channels);
  const usual = avChannelLayoutDefault(channels);
  return mask === null ? usual : { ...usual, order: AV_CHANNEL_ORDER_NATIVE, nbChannels: channels, mask };
}

/** Do two layouts differ only in whether a pair is at the side or at the back? */
export function sameSpeakers(one: string, other: string): boolean {
  const plain = (layout: string): string => layout.replace('(side)', '').replace('(back)', '');
  return plain(one) === plain(other);
}
