import { join } from 'node:path';
import { mkdir, rm } from 'node:fs/promises';
import { extractSpeech } from '../../speech/speech-sound.ts';
import { canFindSpeakers, findSpeakers } from '../../speech/speakers/find-speakers.ts';
import type { SpeakerTurn } from '../../speech/speakers/speaker-turn.ts';
import type { LevelSpeakersContext } from './options.ts';

/** How much of it is decoding. */
const decodingShare = 0.05;

/** Who speaks when; null where the networks that tell speakers apart are not installed. */
export async function whoSpeaks(
  { workDir, signal, modelsDir, fanOut }: LevelSpeakersContext,
  path: string,
  onProgress: (fraction: number) => void,
): Promise<SpeakerTurn[] | null> {
  if (!(await canFindSpeakers(modelsDir))) return null;
  const folder = join(workDir, 'speakers');
  await mkdir(folder);
  try {
    const sound = await extractSpeech(path, folder, {
      signal,
      onProgress: (fraction) => onProgress(decodingShare * fraction),
    });
    try {
      return await findSpeakers(sound, {
        modelsDir,
        fanOut,
        signal,
        onProgress: (fraction) => onProgress(decodingShare + (1 - decodingShare) * fraction),
      });
    } finally {
      sound.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
