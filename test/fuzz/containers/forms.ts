// Containers and codecs that recipes choose from, and what each container can carry.

/** What is odd about a file, apart from its codec. */
export type Oddity =
  | 'late'
  | 'gap'
  | 'clock'
  | 'chain'
  | 'trim'
  | 'two tracks'
  | 'padded'
  | 'lie'
  | 'cut end'
  | 'junk before'
  | 'junk behind';

export interface Form {
  readonly container: string;
  readonly codec: string;
  /** ffmpeg's options. */
  readonly sound: readonly string[];
  /** null: sound alone. */
  readonly picture: readonly string[] | null;
  readonly oddities: readonly Oddity[];
  readonly rates: readonly number[];
  readonly channels: readonly number[];
  /** Ways to write the container, one of which is drawn. */
  readonly ways: readonly (readonly string[])[];
}

const mostRates = [8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const plainRates = [...mostRates, 96_000];
const ratesOf: Readonly<Record<string, readonly number[]>> = {
  libopus: [48_000],
  ac3: [32_000, 44_100, 48_000],
  eac3: [32_000, 44_100, 48_000],
  mp2: [32_000, 44_100, 48_000],
  libmp3lame: mostRates.slice(2),
  aac: [16_000, 22_050, 32_000, 44_100, 48_000],
  libvorbis: mostRates,
  wmav2: [22_050, 44_100],
  flac: plainRates,
  alac: plainRates,
};
const moreChannels = new Set(['aac', 'flac', 'libopus', 'libvorbis', 'ac3', 'pcm_s16le', 'pcm_s24le', 'alac']);

interface Kind {
  readonly codecs: readonly string[];
  readonly picture?: readonly string[];
  readonly oddities: readonly Oddity[];
  readonly ways?: readonly (readonly string[])[];
  readonly rates?: readonly number[];
  readonly only?: readonly number[];
}

const plainPcm = ['pcm_u8', 'pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le', 'pcm_f64le', 'pcm_mulaw', 'pcm_alaw'];
const anyFile: readonly Oddity[] = ['cut end', 'junk behind'];
const onAClock: readonly Oddity[] = ['late', 'gap', 'clock', 'cut end'];
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '10', '-pix_fmt', 'yuv420p'];
const mpeg4 = ['-c:v', 'mpeg4', '-g', '10'];
const fragments = ['-movflags', 'frag_keyframe+empty_moov'];
const front = ['-movflags', 'faststart'];

const kinds: Readonly<Record<string, Kind>> = {
  wav: {
    codecs: [...plainPcm, 'adpcm_ms', 'adpcm_ima_wav'],
    oddities: [...anyFile, 'padded', 'lie', 'junk before'],
    ways: [[], ['-rf64', 'always']],
  },
  w64: { codecs: ['pcm_s16le', 'pcm_s24le', 'pcm_f32le'], oddities: ['cut end'] },
  aiff: { codecs: ['pcm_s16be', 'pcm_s24be', 'pcm_f32be', 'pcm_s8', 'pcm_mulaw'], oddities: [...anyFile, 'lie'] },
  caf: { codecs: ['pcm_s16le', 'pcm_s24be', 'pcm_f32le', 'alac'], oddities: ['cut end', 'lie'] },
  au: { codecs: ['pcm_s16be', 'pcm_s24be', 'pcm_f32be', 'pcm_mulaw'], oddities: ['cut end', 'lie'] },
  flac: { codecs: ['flac'], oddities: [...anyFile, 'lie', 'junk before'] },
  ogg: { codecs: ['libvorbis', 'flac', 'libopus'], oddities: ['chain', 'late', 'cut end', 'junk behind'] },
  opus: { codecs: ['libopus'], oddities: ['chain', 'cut end'] },
  mp3: {
    codecs: ['libmp3lame'],
    oddities: [...anyFile, 'chain', 'lie', 'junk before'],
    ways: [[], ['-write_xing', '0'], ['-b:a', '64k'], ['-q:a', '5'], ['-id3v2_version', '0']],
  },
  aac: { codecs: ['aac'], oddities: [...anyFile, 'chain', 'junk before'] },
  ac3: { codecs: ['ac3'], oddities: ['cut end', 'chain', 'junk before'] },
  mp2: { codecs: ['mp2'], oddities: ['cut end', 'chain'] },
  wv: { codecs: ['wavpack'], oddities: anyFile },
  tta: { codecs: ['tta'], oddities: anyFile },
  m4a: { codecs: ['aac', 'alac'], oddities: ['cut end', 'lie', 'trim', 'junk behind'], ways: [[], front, fragments] },
  mka: {
    codecs: ['flac', 'libopus', 'libvorbis', 'aac', 'pcm_s16le', 'ac3'],
    oddities: ['late', 'gap', 'lie', 'cut end'],
  },
  mp4: {
    codecs: ['aac', 'libmp3lame', 'ac3', 'libopus', 'flac', 'alac', 'mp2'],
    picture: h264,
    oddities: [...onAClock, 'trim', 'two tracks', 'lie'],
    ways: [[], front, fragments],
  },
  mov: {
    codecs: ['pcm_s16le', 'pcm_s24le', 'pcm_f32le', 'pcm_s16be', 'pcm_mulaw', 'aac', 'alac'],
    picture: h264,
    oddities: [...onAClock, 'trim', 'two tracks', 'lie'],
    ways: [[], front],
  },
  mkv: {
    codecs: ['aac', 'flac', 'libopus', 'libvorbis', 'pcm_s16le', 'pcm_s24le', 'ac3', 'libmp3lame', 'mp2'],
    picture: h264,
    oddities: [...onAClock, 'trim', 'two tracks', 'lie'],
    ways: [[], ['-live', '1']],
  },
  webm: { codecs: ['libopus', 'libvorbis'], picture: ['-c:v', 'libvpx', '-deadline', 'realtime'], oddities: onAClock },
  ts: {
    codecs: ['aac', 'mp2', 'ac3', 'libmp3lame', 'libopus'],
    picture: h264,
    oddities: [...onAClock, 'chain', 'junk before', 'trim'],
  },
  m2ts: { codecs: ['ac3', 'aac'], picture: h264, oddities: [...onAClock, 'chain'] },
  mpg: {
    codecs: ['mp2', 'ac3'],
    picture: ['-c:v', 'mpeg2video', '-b:v', '200k'],
    oddities: ['late', 'clock', 'chain', 'cut end'],
  },
  flv: { codecs: ['aac', 'libmp3lame', 'pcm_s16le'], picture: ['-c:v', 'flv'], oddities: [...onAClock, 'lie'] },
  avi: {
    codecs: ['pcm_s16le', 'libmp3lame', 'ac3', 'pcm_u8', 'adpcm_ms', 'aac'],
    picture: mpeg4,
    oddities: ['late', 'gap', 'lie', 'cut end'],
  },
  wmv: { codecs: ['wmav2', 'libmp3lame'], picture: ['-c:v', 'wmv2'], oddities: onAClock },
  '3gp': { codecs: ['aac'], picture: mpeg4, oddities: [...onAClock, 'trim'] },
  mxf: {
    codecs: ['pcm_s16le', 'pcm_s24le'],
    picture: ['-r', '25', '-c:v', 'mpeg2video'],
    oddities: ['cut end'],
    rates: [48_000],
    only: [1, 2],
  },
};

const extraOf = (container: string, codec: string): string[] => [
  ...(codec === 'flac' && container === 'mp4' ? ['-strict', '-2'] : []),
  ...(codec === 'libopus' && container === 'mp4' ? ['-strict', '-2'] : []),
];

const flvRates = [11_025, 22_050, 44_100];
export const forms: readonly Form[] = Object.entries(kinds).flatMap(([container, kind]) =>
  kind.codecs.map((codec) => {
    const rates = (kind.rates ?? ratesOf[codec] ?? plainRates).filter(
      (rate) => container !== 'flv' || codec === 'aac' || flvRates.includes(rate),
    );
    const few = container === 'flv' || container === 'wmv' || container === 'mp2';
    return {
      container,
      codec,
      sound: ['-c:a', codec, ...extraOf(container, codec)],
      picture: kind.picture ?? null,
      oddities: kind.oddities,
      rates,
      channels: kind.only ?? (moreChannels.has(codec) && !few ? [1, 2, 2, 6] : [1, 2]),
      ways: kind.ways ?? [[]],
    };
  }),
);
