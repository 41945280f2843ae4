import type { MediaFacts } from '../../media/facts.ts';
import type { MediaReport } from './result.ts';

/** The container's part of the report: the result of `probe`, without the path. */
export function mediaReport(facts: MediaFacts, durationSeconds: number): MediaReport {
  const { audio, video, cover } = facts;
  return {
    format: facts.format,
    sizeBytes: facts.sizeBytes,
    durationSeconds: Number(durationSeconds.toFixed(6)),
    bitRateBps: facts.bitRateBps,
    audio: audio && {
      codec: audio.codec,
      sampleRate: audio.sampleRate,
      channels: audio.channels,
      layout: audio.layout,
      bitRateBps: audio.bitRateBps,
      bitsPerSample: audio.bitsPerSample,
      language: audio.language,
    },
    video: video && {
      codec: video.codec,
      width: video.width,
      height: video.height,
      frameRate: video.frameRate,
      rotationDegrees: video.rotationDegrees,
      pixelFormat: video.pixelFormat,
    },
    cover: cover && { codec: cover.codec, width: cover.width, height: cover.height },
    tags: { ...facts.tags },
    chapters: facts.chapters.map(({ startSeconds, endSeconds, title }) => ({ startSeconds, endSeconds, title })),
    streams: facts.streams.map(({ index, type, codec, language, decodable, track }) => ({
      index,
      type,
      codec,
      language,
      decodable,
      track,
    })),
  };
}
