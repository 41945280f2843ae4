// Speech of any length, a short video and a script: what the tools are given.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { openEncoder } from '../../src/library/media/write/encode.ts';
import { aviBytes } from '../fixtures/media/pcm-files.ts';
import { tone } from '../fixtures/media/signals.ts';
import { recording, type RecordingName } from '../fixtures/recordings.ts';
import { probe } from '../../src/library/media/read/probe.ts';

/** Several voices and microphones, read and spontaneous, so that speakers and fillers are found. */
const names: readonly RecordingName[] = [
  'jfk.wav',
  'acoustic_corpus.wav',
  'austen-0870.wav',
  'um.flac',
  'ami-trn05.wav',
];
const rate = 16_000;

export interface Files {
  readonly speech: string;
  readonly video: string;
  readonly script: string;
}

/** @param seconds of the speech; an MP3 of 48 kbit/s, as people send them */
export async function makeFiles(folder: string, seconds: number): Promise<Files> {
  const speech = join(folder, `speech-${seconds}.mp3`);
  const sink = openEncoder(
    speech,
    { sampleRate: rate, channels: 1, layout: 'mono' },
    { format: 'mp3', bitrateKbps: 48 },
  );
  try {
    let left = Math.round(seconds * rate);
    for (let turn = 0; left > 0; turn += 1) {
      const source = openAudio(probe(recording(names[turn % names.length] as RecordingName)), { rate, channels: 1 });
      for (let block = source.next(); block !== null && left > 0; block = source.next()) {
        const frames = Math.min(left, block.frames);
        sink.write({ planes: block.planes.map((plane) => plane.subarray(0, frames)), frames });
        left -= frames;
      }
      source.close();
    }
    sink.finish();
  } finally {
    sink.close();
  }
  const size = { width: 64, height: 48 };
  const picture = await sharp({ create: { ...size, channels: 3, background: '#557' } })
    .jpeg()
    .toBuffer();
  const video = join(folder, 'video.avi');
  const pictures = Array.from({ length: 100 }, () => picture);
  writeFileSync(video, aviBytes(pictures, size, 25, [tone(4 * 48_000, 48_000, 440)], 48_000));
  const script = join(folder, 'script.txt');
  // What is said first; the rest of the recording is not in the script, as where a chapter is looked for.
  writeFileSync(script, readFileSync(new URL('jfk.txt', import.meta.url), 'utf8'));
  return { speech, video, script };
}
