// Transcriptions that take no time: what is said is written here, so that answers can be held against it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';
import { createFakeMedia, type FakeMedia } from '../try/fake-media.ts';

const sentence = (text: string, startSeconds: number, speaker: number | null) => {
  const words = text.split(' ').map((word, index) => ({
    text: word,
    startSeconds: startSeconds + index,
    endSeconds: startSeconds + index + 0.5,
    confidence: 0.5,
  }));
  return { startSeconds, endSeconds: words.at(-1)!.endSeconds, text, speaker, words };
};

/** Two sentences of two people, in 8.4 s. */
const said = (labels: boolean, name?: string): Transcript => ({
  format: 'earshot-transcript',
  version: 1,
  language: 'de',
  durationSeconds: 8.4,
  speakerCount: labels ? 2 : null,
  ...(name === undefined ? {} : { names: { 2: name } }),
  sentences: [
    sentence('Guten Tag zusammen.', 0.2, labels ? 1 : null),
    sentence('Wir beginnen jetzt.', 4, labels ? 2 : null),
  ],
});

/** Runs say the first sentence at once, and write `said` in all formats; the first reference is the second speaker. */
export function createSpeaking(): FakeMedia {
  const media = createFakeMedia();
  const { run } = media;
  return Object.assign(media, {
    async run(request: Parameters<FakeMedia['run']>[0]) {
      const { sentences } = said(request.options['speaker_labels'] === true);
      request.onPartial?.({ sentences: sentences.slice(0, 1) });
      const outcome = await run(request);
      const path = join(request.outputDir, 'words.json');
      const [first] = request.voiceReferences ?? [];
      await writeFile(path, JSON.stringify(said(request.options['speaker_labels'] === true, first?.name)));
      return outcome;
    },
  });
}
