// findSpeakers over meetings and conversations whose speakers are known (bench/speech/speakers.ts); networks answer
// from the store wherever they are asked what they were asked before.
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { openSpeech } from '../../../src/library/speech/speech-sound.ts';
import { findSpeakers } from '../../../src/library/speech/speakers/find-speakers.ts';
import { diarizationError, type NamedTurn } from '../../speech/diarization-error.ts';
import { figure, type Measure } from '../figures.ts';
import { conversationCases } from './conversation-cases.ts';

const collarSeconds = 0.25;
const { signal } = new AbortController();

const people = (turns: readonly NamedTurn[]): number => new Set(turns.map(({ name }) => name)).size;

export const measure: Measure = async () => {
  const sums = { speech: 0, missed: 0, falseAlarm: 0, confusion: 0, wrongCounts: 0 };
  for (const { path, reference } of await conversationCases()) {
    const sound = openSpeech(path);
    const options = { modelsDir: undefined, fanOut: runHere(signal), signal, onProgress: () => undefined };
    const turns = (await findSpeakers(sound, options)).map(({ speaker, ...turn }) => ({
      ...turn,
      name: String(speaker),
    }));
    sound.close();
    const error = diarizationError(reference, turns, collarSeconds);
    sums.speech += error.speechSeconds;
    sums.missed += error.missedSeconds;
    sums.falseAlarm += error.falseAlarmSeconds;
    sums.confusion += error.confusionSeconds;
    sums.wrongCounts += Math.abs(people(turns) - people(reference));
  }
  const share = (seconds: number): number => (100 * seconds) / sums.speech;
  return [
    figure('diarization error', share(sums.missed + sums.falseAlarm + sums.confusion), '%', 'lower', 2),
    figure('missed', share(sums.missed), '%', 'lower', 2),
    figure('false alarm', share(sums.falseAlarm), '%', 'lower', 2),
    figure('confused', share(sums.confusion), '%', 'lower', 2),
    figure('people too many or too few', sums.wrongCounts, '', 'lower'),
  ];
};
