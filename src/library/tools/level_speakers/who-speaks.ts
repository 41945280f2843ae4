import { join } from 'node:path';
import { mkdir, rm } from 'node:fs/promises';
import { toWrite } from '../../edit/at-loudness.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { extractSpeech } from '../../speech/speech-sound.ts';
import { canFindSpeakers, findSpeakers, speakerPasses } from '../../speech/speakers/find-speakers.ts';
import type { SpeakerTurn } from '../../speech/speakers/speaker-turn.ts';
import type { LevelSpeakersContext } from './options.ts';

/** Who speaks when; null where the speaker networks are not installed. */
export async function whoSpeaks(
  { workDir, signal, modelsDir, fanOut, pass }: LevelSpeakersContext,
  facts: MediaFacts,
): Promise<SpeakerTurn[] | null> {
  if (!(await canFindSpeakers(modelsDir))) return null;
  const [certain, maybe] = toWrite;
  const [first, second, again] = speakerPasses;
  const passes = [first, second];
  const folder = join(workDir, 'speakers');
  await mkdir(folder);
  try {
    const sound = await extractSpeech(facts, folder, {
      signal,
      onProgress: pass('reading', [...certain, ...passes], [again, ...maybe]),
    });
    try {
      return await findSpeakers(sound, {
        modelsDir,
        fanOut,
        signal,
        onProgress: () => undefined,
        pass: (stage, after = [], more = []) => pass(stage, [...after, ...certain], [...more, ...maybe]),
      });
    } finally {
      sound.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
