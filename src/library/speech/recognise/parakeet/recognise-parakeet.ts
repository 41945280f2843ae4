import { EarshotError } from '../../../core/errors/errors.ts';
import { sharesNetworks } from '../../../models/raw-sessions.ts';
import { defaultRecogniser, findRecogniser, type RecogniserModel } from '../../../models/recognisers.ts';
import { cannotTranslate, orAborted, readRegions, resumed, windowsOf } from '../windows/read-regions.ts';
import type { Recognition, RecognitionTask } from '../windows/recognition.ts';
import { readLayout as readWhisperLayout } from '../whisper/layout.ts';
import { findLanguage } from '../whisper/recognise-whisper.ts';
import { readParakeetLayout } from './layout.ts';
import { parakeetLanes, parakeetReader } from './parakeet-reader.ts';

const cannotFavour = (title: string): EarshotError =>
  new EarshotError('bad_request', `Expected a Whisper for a vocabulary but ${title} cannot be given one`, {
    nextAction: 'Use a Whisper, such as whisper-base, or leave vocabulary out.',
    details: { field: 'vocabulary', expected: 'a Whisper', received: title },
  });

/** Parakeet transcribes all its languages without naming the language: Whisper base detects it. */
export async function recogniseWithParakeet(task: RecognitionTask, model: RecogniserModel): Promise<Recognition> {
  const layout = await readParakeetLayout(model);
  const { sound, options } = task;
  const { id, title } = layout;
  if (options.translate) throw cannotTranslate(title);
  if (options.vocabulary !== undefined && options.vocabulary.length > 0) throw cannotFavour(title);
  const listener =
    options.language === undefined
      ? await readWhisperLayout(await findRecogniser(options.modelsDir, defaultRecogniser))
      : null;
  const windows = await orAborted((await windowsOf(task)).windows([]), options.signal);
  const lanes = parakeetLanes(layout, options.fanOut, await sharesNetworks());
  const reader = parakeetReader(sound, layout, { count: windows.length, lanes }, options);
  const { language, isLanguageTold } =
    listener === null || windows.length === 0
      ? { language: options.language ?? 'en', isLanguageTold: true }
      : await orAborted(findLanguage(task, listener, windows, reader.lanes), options.signal);
  return {
    language,
    isLanguageTold,
    recogniser: { id, title },
    regions: readRegions(task, windows, resumed(task, layout, language, reader)),
  };
}
