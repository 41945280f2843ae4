import { knownSpeakers } from '../core/channels.ts';

/** +1.5 dB, as a factor of power. */
const surround = 10 ** 0.15;

/**
 * BS.1770-5 loudness weight of each channel of an FFmpeg layout, in FFmpeg's channel order.
 *
 * ITU-R BS.1770-5 Table 4 weights a speaker within 30 degrees of the ear's height and 60 to 120 degrees to the side by
 * +1.5 dB (1.4125), every other one by 1, and leaves LFE out (0). Side speakers are at 90 to 110 degrees. A back pair
 * is at 110 degrees where there are no side speakers ("5.1": FFmpeg's name for what broadcast calls Ls and Rs) and at
 * 135 degrees where there are ("7.1"), which the standard weights by 1; FFmpeg's own meter weights it by 1.41. A single
 * back centre (180 degrees) and height speakers count 1.
 *
 * @param layout FFmpeg's name, e.g. "5.1(side)". Unknown layouts, or ones of another channel count, weigh 1 throughout.
 * @param channels number of weights to return, 1 to 64.
 */
export function channelWeights(layout: string, channels: number): number[] {
  const speakers = knownSpeakers(layout, channels);
  if (speakers === null) return Array.from({ length: channels }, () => 1);
  const hasSides = speakers.includes('SL');
  return speakers.map((speaker) => {
    if (speaker === 'LFE') return 0;
    if (speaker === 'SL' || speaker === 'SR') return surround;
    if (speaker === 'BL' || speaker === 'BR') return hasSides ? 1 : surround;
    return 1;
  });
}
