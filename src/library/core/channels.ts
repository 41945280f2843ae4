// The loudspeaker of each channel of a layout. Names and order are FFmpeg's.

/** Loudspeaker positions: F front, B back, S side, T top; L left, R right, C centre; LFE low frequency effects. */
export type Speaker =
  | 'FL'
  | 'FR'
  | 'FC'
  | 'LFE'
  | 'BL'
  | 'BR'
  | 'FLC'
  | 'FRC'
  | 'BC'
  | 'SL'
  | 'SR'
  | 'TC'
  | 'TFL'
  | 'TFC'
  | 'TFR'
  | 'TBL'
  | 'TBC'
  | 'TBR'
  | 'DL'
  | 'DR'
  | 'WL'
  | 'WR';

const layouts: Readonly<Record<string, string>> = {
  mono: 'FC',
  stereo: 'FL FR',
  downmix: 'DL DR',
  '2.1': 'FL FR LFE',
  '3.0': 'FL FR FC',
  '3.0(back)': 'FL FR BC',
  '4.0': 'FL FR FC BC',
  quad: 'FL FR BL BR',
  'quad(side)': 'FL FR SL SR',
  '3.1': 'FL FR FC LFE',
  '5.0': 'FL FR FC BL BR',
  '5.0(side)': 'FL FR FC SL SR',
  '4.1': 'FL FR FC LFE BC',
  '5.1': 'FL FR FC LFE BL BR',
  '5.1(side)': 'FL FR FC LFE SL SR',
  '6.0': 'FL FR FC BC SL SR',
  '6.0(front)': 'FL FR FLC FRC SL SR',
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
  '3.1.2': 'FL FR FC LFE TFL TFR',
  cube: 'FL FR BL BR TFL TFR TBL TBR',
  '5.1.4': 'FL FR FC LFE SL SR TFL TFR TBL TBR',
  '7.1.2': 'FL FR FC LFE BL BR SL SR TFL TFR',
  '7.1.4': 'FL FR FC LFE BL BR SL SR TFL TFR TBL TBR',
};

/** FFmpeg's names of all layouts that are known here. */
export const namedLayouts: readonly string[] = Object.keys(layouts);

/** The usual layout for a number of channels, where a file names none. */
const usual: readonly string[] = ['', 'mono', 'stereo', '2.1', '4.0', '5.0', '5.1', '6.1', '7.1'];

/**
 * The loudspeakers of a layout that FFmpeg names, or spells out as "10 channels (FL+FR+...)"; null for other layouts,
 * or when the count does not match.
 */
export function knownSpeakers(layout: string, channels: number): readonly Speaker[] | null {
  const spelled = /^\d+ channels \(([A-Z+]+)\)$/.exec(layout)?.[1]?.replaceAll('+', ' ');
  const speakers = (layouts[layout] ?? spelled)?.split(' ');
  return speakers?.length === channels ? (speakers as Speaker[]) : null;
}

/** FFmpeg's bit of each loudspeaker in a channel mask; the first 18 are those of WAVEFORMATEXTENSIBLE. */
const maskBits: Readonly<Record<Speaker, number>> = {
  FL: 0,
  FR: 1,
  FC: 2,
  LFE: 3,
  BL: 4,
  BR: 5,
  FLC: 6,
  FRC: 7,
  BC: 8,
  SL: 9,
  SR: 10,
  TC: 11,
  TFL: 12,
  TFC: 13,
  TFR: 14,
  TBL: 15,
  TBC: 16,
  TBR: 17,
  DL: 29,
  DR: 30,
  WL: 31,
  WR: 32,
};

/** The channel mask of a layout; null where it is unknown or its channels are not in the order of the mask. */
export function layoutMask(layout: string, channels: number): bigint | null {
  const bits = knownSpeakers(layout, channels)?.map((speaker) => maskBits[speaker]);
  if (!bits || bits.some((bit, at) => at > 0 && bit <= (bits[at - 1] as number))) return null;
  return bits.reduce((mask, bit) => mask | (1n << BigInt(bit)), 0n);
}

/**
 * The loudspeaker of each channel. Where the layout is unknown, those usual for the count, or null for each channel.
 * @param layout FFmpeg's name, such as "5.1(side)"
 */
export function speakersOf(layout: string, channels: number): readonly (Speaker | null)[] {
  return (
    knownSpeakers(layout, channels) ??
    knownSpeakers(usual[channels] ?? '', channels) ??
    Array.from({ length: channels }, () => null)
  );
}

/** FFmpeg's name of the usual layout for this number of channels. */
export const usualLayout = (channels: number): string => usual[channels] || `${channels} channels`;

const half = Math.SQRT1_2;
/** ITU-R BS.775-3, table 2: centre and surrounds at -3 dB; a single back centre at another -3 dB; LFE is left out. */
const stereoShare: Readonly<Record<Speaker, readonly [number, number]>> = {
  FL: [1, 0],
  FR: [0, 1],
  DL: [1, 0],
  DR: [0, 1],
  FC: [half, half],
  LFE: [0, 0],
  BL: [half, 0],
  BR: [0, half],
  SL: [half, 0],
  SR: [0, half],
  WL: [1, 0],
  WR: [0, 1],
  FLC: [1, 0],
  FRC: [0, 1],
  BC: [0.5, 0.5],
  TC: [0.5, 0.5],
  TFL: [half, 0],
  TFC: [0.5, 0.5],
  TFR: [0, half],
  TBL: [half, 0],
  TBC: [0.5, 0.5],
  TBR: [0, half],
};

/**
 * Coefficients of a change of channel count, one row per output channel.
 * Down to stereo: ITU-R BS.775-3 without scaling, so that a voice in the centre stays as loud as it was; loud surround
 * may exceed full scale. Down to mono: the mean of that stereo. Mono to more: copied to every channel. Other up-mixes
 * keep the channels they have.
 */
export function mixMatrix(layout: string, channels: number, to: number): number[][] {
  if (to === channels)
    return Array.from({ length: to }, (_, row) =>
      Array.from({ length: channels }, (__, column) => (row === column ? 1 : 0)),
    );
  if (channels === 1) return Array.from({ length: to }, () => [1]);
  if (to > 2)
    return Array.from({ length: to }, (_, row) =>
      Array.from({ length: channels }, (__, column) => (row === column ? 1 : 0)),
    );
  const stereo: [number[], number[]] = [[], []];
  for (const [index, speaker] of speakersOf(layout, channels).entries()) {
    const [left, right] = speaker ? (stereoShare[speaker] ?? [0, 0]) : index % 2 === 0 ? [1, 0] : [0, 1];
    stereo[0].push(left);
    stereo[1].push(right);
  }
  if (to === 2) return stereo;
  return [stereo[0].map((left, index) => (left + (stereo[1][index] ?? 0)) / 2)];
}

/** Can a change of channel count exceed full scale where no channel does? */
export const mayExceedFullScale = (layout: string, channels: number, to: number): boolean =>
  to < channels && mixMatrix(layout, channels, to).some((row) => row.reduce((sum, value) => sum + value, 0) > 1 + 1e-9);
