// A translation by the weights of the house, of what eSpeak NG says in German.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseTranscript } from '../../../src/library/contract/parse-transcript.ts';
import { openEspeak } from '../../../src/library/speech/align/reference/espeak.ts';
import { transcribeAudio } from '../../../src/library/tools/transcribe_audio/tool.ts';
import { scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { speechRun } from '../../fixtures/speech.ts';
import { slower } from '../../fixtures/rounds.ts';

const path = scratch();

it('transcribe_audio writes English for German, with the times of what is said', slower, async () => {
  const espeak = await openEspeak();
  const said =
    'Guten Morgen, meine Damen und Herren. Das Wetter ist heute sehr schön. Ich gehe mit meinem Hund in den Park, ' +
    'und danach kaufe ich ein Brot.';
  const { samples, sampleRate } = espeak.speak(espeak.voices.get('de') ?? 'de', said, { wordsPerMinute: 140 });
  const { fanOut, signal } = speechRun(1);
  const options = { translate: true, speaker_labels: false };
  const file = writeWav(path('german.wav'), [samples], sampleRate);
  const done = await runTool(transcribeAudio, file, options, path('run-'), signal, undefined, fanOut);
  expect(done.result).toMatchObject({ language: 'en', translatedFrom: 'de' });
  const json = done.outputs.find(({ format }) => format === 'json')?.path ?? '';
  const { language, sentences } = parseTranscript(readFileSync(json, 'utf8'));
  expect(language).toBe('en');
  const text = sentences.map((sentence) => sentence.text).join(' ');
  expect(text).toMatch(/good morning/i);
  expect(text).toMatch(/\bpark\b/i);
  expect(text).not.toMatch(/\b(?:und|heute|meine)\b/i);
  const words = sentences.flatMap((sentence) => sentence.words);
  let last = 0;
  for (const { startSeconds, endSeconds } of words) {
    expect(startSeconds).toBeGreaterThanOrEqual(last);
    expect(endSeconds).toBeLessThanOrEqual(samples.length / sampleRate);
    last = startSeconds;
  }
  // The park is said in the second half.
  expect(words.find((word) => /park/i.test(word.text))?.startSeconds).toBeGreaterThan(samples.length / sampleRate / 2);
});
