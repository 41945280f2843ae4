// A made recording whose words are known to the sample: a tone for each word, silence between. Its transcription gives
// these words, so that a test of the editor needs no recogniser.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaWork } from '../../../../../src/library/contract/media-work.ts';
import type { Transcript } from '../../../../../src/library/contract/transcript.ts';
import { wavBytes } from '../../../../fixtures/media/pcm-files.ts';
import { workWithOwnRuns } from '../../../../fixtures/service/own-runs.ts';

export const rate = 16_000;
const wordSeconds = 0.3;
const gapSeconds = 0.1;

export interface Spoken {
  readonly transcript: Transcript;
  readonly samples: Float32Array;
  /** As a file: 16 bit, mono. */
  readonly wav: Buffer;
}

/**
 * @param sentences words with spaces between; "|" is a pause of 1.2 s
 * @param speakers by sentence; default: one speaker
 * @param language its code; default: English
 */
export function speak(sentences: readonly string[], speakers: readonly number[] = [], language = 'en'): Spoken {
  let at = 0.5;
  let number = 0;
  const placed: { readonly startSeconds: number; readonly hertz: number }[] = [];
  const written = sentences.map((sentence, index): Transcript['sentences'][number] => {
    const speaker = speakers[index] ?? 1;
    const words: Transcript['sentences'][number]['words'] = [];
    for (const text of sentence.split(' ')) {
      if (text === '|') {
        at += 1.2 - gapSeconds;
        continue;
      }
      words.push({ text, startSeconds: at, endSeconds: at + wordSeconds, speaker });
      placed.push({ startSeconds: at, hertz: 200 + 23 * (number % 40) });
      number += 1;
      at = Math.round((at + wordSeconds + gapSeconds) * 1e6) / 1e6;
    }
    return {
      startSeconds: words[0]?.startSeconds ?? at,
      endSeconds: words.at(-1)?.endSeconds ?? at,
      text: words.map(({ text }) => text).join(' '),
      speaker,
      words,
    };
  });
  const durationSeconds = at + 0.5;
  const samples = new Float32Array(Math.round(durationSeconds * rate));
  for (const { startSeconds, hertz } of placed) {
    const first = Math.round(startSeconds * rate);
    const frames = Math.round(wordSeconds * rate);
    for (let frame = 0; frame < frames; frame++) {
      const edge = Math.min(1, frame / 160, (frames - frame) / 160);
      samples[first + frame] =
        Math.round(edge * 0.4 * Math.sin((2 * Math.PI * hertz * frame) / rate) * 32_768) / 32_768;
    }
  }
  return {
    samples,
    wav: Buffer.from(wavBytes([samples], rate)),
    transcript: {
      format: 'earshot-transcript',
      version: 1,
      language,
      durationSeconds,
      speakerCount: new Set(speakers.length > 0 ? speakers : [1]).size,
      sentences: written,
    },
  };
}

/**
 * Real work on media, but for the transcription: that gives these words.
 * @param maxJobSeconds default: 10 minutes
 * @param translation what it gives where it is to translate. Default: the same words
 */
export function workThatHears(
  transcript: Transcript,
  workDir: string,
  maxJobSeconds?: number,
  translation: Transcript = transcript,
): MediaWork {
  const answer: Parameters<typeof workWithOwnRuns>[1] = async (request, real) => {
    if (request.tool !== 'transcribe_audio' && request.tool !== 'align_script') return real.run(request);
    const isTranslation = request.options['translate'] === true;
    const given = isTranslation ? translation : transcript;
    const path = join(request.outputDir, 'talk.json');
    await writeFile(path, JSON.stringify(given));
    return {
      outputs: [
        {
          path,
          filename: 'talk.json',
          contentType: 'application/json',
          format: 'json',
          durationSeconds: null,
          hasAudio: false,
          hasVideo: false,
          media: null,
        },
      ],
      result: { language: given.language },
      processedSeconds: transcript.durationSeconds,
      warnings: [],
    };
  };
  return workWithOwnRuns(workDir, answer, maxJobSeconds);
}
