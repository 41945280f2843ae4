/** Speakers of FFmpeg's channel layouts, in FFmpeg's channel order. */
const layouts: Readonly<Record<string, string>> = {
  mono: 'FC',
  stereo: 'FL FR',
  downmix: 'DL DR',
  '2.1': 'FL FR LFE',
  '3.0': 'FL FR FC',
  '3.0(back)': 'FL FR BC',
  '3.1': 'FL FR FC LFE',
  '4.0': 'FL FR FC BC',
  quad: 'FL FR BL BR',
  'quad(side)': 'FL FR SL SR',
  '4.1': 'FL FR FC LFE BC',
  '5.0': 'FL FR FC BL BR',
  '5.0(side)': 'FL FR FC SL SR',
  '5.1': 'FL FR FC LFE BL BR',
  '5.1(side)': 'FL FR FC LFE SL SR',
  '6.0': 'FL FR FC BC SL SR',
  '6.0(front)': 'FL FR FLC FRC SL SR',
  '3.1.2': 'FL FR FC LFE TFL TFR',
  hexagonal: 'FL FR FC BL BR BC',
  '6.1': 'FL FR FC LFE BC SL SR',
  '6.1(back)': 'FL FR FC LFE BL BR BC',
  '6.1(front)': 'FL FR LFE FLC FRC SL SR',
  '7.0': 'FL FR FC BL BR SL SR',
  '7.0(front)': 'FL FR FC FLC FRC SL SR',
  '7.1': 'FL FR FC LFE BL BR SL SR',
  '7.1(wide)': 'FL FR FC LFE BL BR FLC FRC',
  '7.1(wide-side)': 'FL FR FC LFE FLC FRC SL SR',
  '5.1.2': 'FL FR FC LFE SL SR TFL TFR',
  '5.1.2(back)': 'FL FR FC LFE BL BR TFL TFR',
  octagonal: 'FL FR FC BL BR BC SL SR',
  cube: 'FL FR BL BR TFL TFR TBL TBR',
  '5.1.4': 'FL FR FC LFE SL SR TFL TFR TBL TBR',
  '5.1.4(back)': 'FL FR FC LFE BL BR TFL TFR TBL TBR',
  '7.1.2': 'FL FR FC LFE BL BR SL SR TFL TFR',
  '7.1.4': 'FL FR FC LFE BL BR SL SR TFL TFR TBL TBR',
  '7.1.4(back)': 'FL FR FC LFE BL BR SL SR TFL TFR TBL TBR',
};

/** +1.5 dB, as a factor of power. */
const surround = 10 ** 0.15;

/**
 * BS.1770-5 loudness weight of each channel of an FFmpeg layout, in FFmpeg's channel order.
 *
 * ITU-R BS.1770-5 Table 4 weights a speaker within 30 degrees of the ear's height and 60 to 120 degrees to the side by
 * +1.5 dB (1.4125), every other one by 1, and leaves LFE out (0). Sides stand at 90 to 110 degrees. A back pair stands at
 * 110 degrees where there are no sides ("5.1": FFmpeg's name for what broadcast calls Ls and Rs) and at 135 degrees where
 * there are ("7.1"), which the standard weights by 1; FFmpeg's own meter weights it by 1.41. A single back centre (180
 * degrees) and height speakers count 1.
 *
 * @param layout FFmpeg's name, e.g. "5.1(side)". Unknown layouts, or ones of another channel count, weigh 1 throughout.
 * @param channels how many weights to answer, 1 to 64.
 */
export function channelWeights(layout: string, channels: number): number[] {
  const speakers = layouts[layout]?.split(' ');
  if (speakers?.length !== channels) return Array.from({ length: channels }, () => 1);
  const hasSides = speakers.includes('SL');
  return speakers.map((speaker) => {
    if (speaker === 'LFE') return 0;
    if (speaker === 'SL' || speaker === 'SR') return surround;
    if (speaker === 'BL' || speaker === 'BR') return hasSides ? 1 : surround;
    return 1;
  });
}
