// Facts of a file that a decoder of the browser has looked at, in the library's words.
import { usualLayout } from '../../library/core/channels.ts';
import type {
  AudioStreamFacts,
  CoverFacts,
  MediaFacts,
  StreamFacts,
  VideoStreamFacts,
} from '../../library/media/facts.ts';
import { chaptersOf } from '../../library/media/read/probe.ts';
import { namesOf } from '../../library/media/tags/names.ts';
import { pictureSize } from '../../library/media/tags/picture-size.ts';
import { readTags } from '../../library/media/write/read-tags.ts';

/** What a decoder says of a file. */
export interface Found {
  readonly path: string;
  readonly sizeBytes: number;
  /** By our name. */
  readonly container: string;
  readonly sound: {
    /** FFmpeg's name. */
    readonly codec: string;
    readonly sampleRate: number;
    readonly channels: number;
    readonly frames: number;
    /** As its head says; null: it says none, or not exactly. */
    readonly statedFrames: number | null;
    /** Of a sample; null for codecs that have none. */
    readonly bits: number | null;
    readonly language: string | null;
  } | null;
  readonly picture: { readonly codec: string; readonly width: number; readonly height: number } | null;
}

/** FFmpeg's names of demuxers, by which chapters are read. */
const demuxers: Readonly<Record<string, string>> = {
  m4a: 'mov,mp4,m4a,3gp,3g2,mj2',
  mp4: 'mov,mp4,m4a,3gp,3g2,mj2',
  mov: 'mov,mp4,m4a,3gp,3g2,mj2',
  webm: 'matroska,webm',
  mkv: 'matroska,webm',
  opus: 'ogg',
};

function coverOf(data: Buffer): CoverFacts {
  const { width, height } = pictureSize(data) ?? { width: 0, height: 0 };
  return { codec: data[0] === 0x89 ? 'png' : 'mjpeg', width, height };
}

const plainStream = {
  language: null,
  decodable: false,
  track: null,
  startSeconds: null,
  durationSeconds: null,
  bitRateBps: null,
};

export function factsOfFound({ path, sizeBytes, container, sound, picture }: Found): MediaFacts {
  const durationSeconds = sound ? sound.frames / sound.sampleRate : null;
  const bitRateBps = durationSeconds ? Math.trunc((sizeBytes * 8) / durationSeconds) : null;
  const seen: StreamFacts | null = picture && { ...plainStream, index: 0, type: 'video', codec: picture.codec };
  const video: VideoStreamFacts | null = seen &&
    picture && {
      ...seen,
      ...picture,
      frameRate: null,
      rotationDegrees: 0,
      pixelFormat: null,
      interlaced: false,
      timecode: null,
    };
  const heard: StreamFacts | null = sound && {
    index: picture ? 1 : 0,
    type: 'audio',
    codec: sound.codec,
    language: sound.language,
    decodable: true,
    track: 1,
    startSeconds: 0,
    durationSeconds,
    bitRateBps: sound.codec === 'flac' ? null : bitRateBps,
  };
  const audio: AudioStreamFacts | null = heard &&
    sound && {
      ...heard,
      sampleRate: sound.sampleRate,
      channels: sound.channels,
      layout: usualLayout(sound.channels),
      bitsPerSample: sound.bits,
    };
  const bare: MediaFacts = {
    path,
    sizeBytes,
    format: container,
    durationSeconds,
    bitRateBps,
    hasAudio: audio !== null,
    hasVideo: video !== null,
    audio,
    video,
    tags: {},
    cover: null,
    chapters: chaptersOf(path, demuxers[container] ?? container, durationSeconds),
    streams: [],
  };
  const { entries, pictures } = readTags({ ...bare, cover: { codec: '', width: 0, height: 0 } });
  const tags = Object.fromEntries(
    entries
      .filter(({ values }) => values.length > 0)
      .map(({ name, values }) => [namesOf(name).ffmpeg, values.join(';')]),
  );
  const covers: StreamFacts[] = pictures.map(({ data }, at) => ({
    ...plainStream,
    index: at + 1,
    type: 'cover',
    codec: coverOf(data).codec,
  }));
  const [first] = pictures;
  return {
    ...bare,
    tags,
    cover: first ? coverOf(first.data) : null,
    streams: [...(seen ? [seen] : []), ...(heard ? [heard] : []), ...covers],
  };
}
