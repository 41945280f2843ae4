// Runs of an episode's steps that answer at once: each passes on what it was given, and says what such a tool says.
// What tools do to sound is tested where they are; here it is pages.
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaWork, ToolOutput, ToolRunRequest } from '../../../../src/library/contract/media-work.ts';
import { workWithOwnRuns } from '../../../fixtures/service/own-runs.ts';

const seconds = 24;
const loudness = { integratedLufs: -16, loudnessRangeLu: 4.2, truePeakDbtp: -1.3 };
const level = {
  role: 'voice',
  speechSeconds: 10,
  gainDb: 7.4,
  input: { ...loudness, integratedLufs: -23.4 },
  output: loudness,
};
const mixed = { role: 'voice', volumeDb: 0, matchDb: 0, gainDb: 0.5, ducked: false, durationSeconds: seconds };

const results: Readonly<Record<string, (files: number) => object>> = {
  level_speakers: (files) => ({ mode: 'tracks', tracks: Array.from({ length: files }, () => level), sum: loudness }),
  remove_noise: () => ({ engine: 'deepfilternet3' }),
  mix_tracks: (files) => ({
    tracks: Array.from({ length: files }, (_, at) => ({
      ...mixed,
      ...(at === files - 1 ? { role: 'music', ducked: true } : {}),
      input: { integratedLufs: -18 },
    })),
    output: loudness,
  }),
  remove_silence: () => ({ removedSeconds: 3.5 }),
  adjust_loudness: () => ({ targetLufs: -16, output: loudness }),
  transcribe_audio: () => ({}),
};

const sentence = (startSeconds: number, text: string, speaker: number) => ({
  startSeconds,
  endSeconds: startSeconds + 3,
  text,
  speaker,
  words: [],
});
const said = {
  format: 'earshot-transcript',
  version: 1,
  language: 'en',
  durationSeconds: seconds,
  speakerCount: 2,
  sentences: [sentence(0.3, 'And so my fellow Americans.', 1), sentence(12.5, 'Emma was not to be.', 2)],
};

const facts = (isSound: boolean, extension: string) => ({
  contentType: isSound ? 'audio/wav' : 'text/plain',
  format: extension,
  durationSeconds: isSound ? seconds : null,
  hasAudio: isSound,
  hasVideo: false,
  media: null,
});

async function outputsOf({ tool, inputs, outputDir }: ToolRunRequest): Promise<ToolOutput[]> {
  if (tool === 'transcribe_audio')
    return Promise.all(
      ['json', 'srt', 'txt', 'vtt'].map(async (extension) => {
        const filename = `said.${extension}`;
        const text = extension === 'json' ? JSON.stringify(said) : '1\n00:00:00,000 --> 00:00:03,000\nAnd so.\n';
        await writeFile(join(outputDir, filename), text);
        return { path: join(outputDir, filename), filename, ...facts(false, extension) };
      }),
    );
  const given = Object.values(inputs).flat();
  return Promise.all(
    given.slice(0, tool === 'level_speakers' ? given.length : 1).map(async ({ path }, at) => {
      const filename = `made-${at}.wav`;
      await copyFile(path, join(outputDir, filename));
      return { path: join(outputDir, filename), filename, ...facts(true, 'wav') };
    }),
  );
}

/** @param ready runs wait for it, so that a page can be looked at while they go on */
export const episodeWork = (workDir: string, ready: Promise<void>): MediaWork =>
  workWithOwnRuns(workDir, async (request, real) => {
    const result = results[request.tool];
    if (result === undefined) return real.run(request);
    await ready;
    return {
      outputs: await outputsOf(request),
      result: result(Object.values(request.inputs).flat().length) as Awaited<ReturnType<MediaWork['run']>>['result'],
      processedSeconds: seconds,
      warnings: [],
    };
  });
