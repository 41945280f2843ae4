// Facts of a WAV file, as FFmpeg tells them.
import { closeSync, openSync, readSync } from 'node:fs';
import type { AudioStreamFacts, MediaFacts } from '../../library/media/facts.ts';
import { waveChunks } from '../../library/media/ffmpeg/wave-form.ts';
import { chaptersOf } from '../../library/media/read/probe.ts';
import { readId3Tag } from '../../library/media/tags/id3-frames.ts';
import { tagsOfId3 } from '../../library/media/tags/id3.ts';
import { namesOf } from '../../library/media/tags/names.ts';
import { isBext } from '../../library/media/wave/bext.ts';
import { partsOf } from '../../library/media/wave/read-chunks.ts';
import { infoNames } from './info-names.ts';
import { lookAtWave } from './wave-sound.ts';

type Words = Record<string, string>;

const mostListBytes = 1024 * 1024;

const trimmed = (text: string): string => text.replace(/\0[^]*/u, '');

/** Fields of the Broadcast Wave extension: FFmpeg's name, where it begins and ends. */
const bextTexts = [
  ['comment', 0, 256],
  ['encoded_by', 256, 288],
  ['originator_reference', 288, 320],
  ['date', 320, 330],
  ['creation_time', 330, 338],
] as const;

function bextWords(body: Buffer): Words {
  const texts = bextTexts.map(([name, from, to]) => [name, trimmed(body.toString('utf8', from, to))] as const);
  return Object.fromEntries([
    ...texts.filter(([, text]) => text !== ''),
    ['time_reference', String(body.readBigUInt64LE(338))],
    ...(body.length > 602 ? [['coding_history', trimmed(body.toString('utf8', 602))]] : []),
  ]) as Words;
}

function infoWords(list: Buffer): Words {
  const words: Words = {};
  for (const { id, body } of partsOf(list)) {
    const name = infoNames.find(([known]) => known === id)?.[1] ?? id;
    words[name] = trimmed(body.toString('utf8'));
  }
  return words;
}

function wordsOf(path: string): Words {
  const handle = openSync(path, 'r');
  try {
    const bytes = (at: number, size: number): Buffer => {
      const read = Buffer.alloc(size);
      return read.subarray(0, readSync(handle, read, 0, size, at));
    };
    let words: Words = {};
    for (const { id, bodyAt, bodyBytes } of waveChunks(bytes)) {
      if (!['LIST', 'bext'].includes(id) || bodyBytes > mostListBytes) continue;
      const body = bytes(bodyAt, bodyBytes);
      if (id === 'bext' && isBext(body)) words = { ...words, ...bextWords(body) };
      if (id === 'LIST' && body.toString('latin1', 0, 4) === 'INFO')
        words = { ...words, ...infoWords(body.subarray(4)) };
    }
    const tag = readId3Tag(path);
    const entries = tag ? tagsOfId3(tag).entries : [];
    const own = entries.filter(({ values }) => values.length > 0);
    return {
      ...words,
      ...Object.fromEntries(own.map(({ name, values }) => [namesOf(name).ffmpeg, values.join('; ')])),
    };
  } finally {
    closeSync(handle);
  }
}

/** @returns null: no WAV, or one whose samples are coded */
export function waveFacts(path: string): MediaFacts | null {
  const wave = lookAtWave(path);
  if (wave === null) return null;
  const { form, codec, layout, frames, sizeBytes } = wave;
  const { sampleRate, channels, bits } = form;
  const microseconds = Math.round((frames / sampleRate) * 1e6);
  const durationSeconds = microseconds > 0 ? microseconds / 1e6 : null;
  const stream = {
    index: 0,
    type: 'audio' as const,
    codec,
    language: null,
    decodable: true,
    track: 1,
    startSeconds: null,
    durationSeconds: frames > 0 ? frames / sampleRate : null,
    bitRateBps: sampleRate * channels * bits,
  };
  const audio: AudioStreamFacts = { ...stream, sampleRate, channels, layout, bitsPerSample: bits };
  return {
    path,
    sizeBytes,
    format: 'wav',
    durationSeconds,
    bitRateBps: microseconds > 0 ? Math.trunc((sizeBytes * 8e6) / microseconds) : null,
    hasAudio: true,
    hasVideo: false,
    audio,
    video: null,
    tags: wordsOf(path),
    cover: null,
    chapters: chaptersOf(path, 'wav', durationSeconds),
    streams: [stream],
  };
}
