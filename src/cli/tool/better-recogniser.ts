// Recommends a better recogniser once, after the first transcript on a terminal.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../library/models/folders.ts';
import { addRecommended, recommendedRecogniser } from '../../library/models/recommended.ts';
import { defaultRecogniser } from '../../library/models/recognisers.ts';
import type { TranscribeAudioResult } from '../../library/tools/transcribe_audio/result.ts';

const { id, title, licence, bytes, languages, gain } = recommendedRecogniser;

const advice = [
  `A better recogniser for this language: ${title} (${(bytes / 1e9).toFixed(1)} GB, ${licence}, ${languages.length} ` +
    `languages): ${gain}.`,
  `  add it:  ${addRecommended}`,
  `  use it:  earshot transcribe <file> --model ${id}`,
  '  This is said once; `earshot models` names it, too.',
].join('\n');

/**
 * @param result of transcribe_audio
 * @returns null when it does not help, was already recommended, or the recommendation cannot be recorded
 */
export async function betterRecogniser(
  result: Pick<TranscribeAudioResult, 'recogniser' | 'language' | 'translatedFrom'>,
): Promise<string | null> {
  const spoken: string = result.translatedFrom ?? result.language;
  // Parakeet does not translate.
  if (result.recogniser.id !== defaultRecogniser || result.translatedFrom !== undefined) return null;
  if (!languages.includes(spoken)) return null;
  const path = join(cacheFolder(), 'said', 'better-recogniser');
  try {
    await readFile(path);
    return null;
  } catch {
    // Not recommended yet.
  }
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    return advice;
  } catch {
    return null;
  }
}
