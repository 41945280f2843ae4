import { dbToGain } from '../../core/levels.ts';
import type { PassageReport } from '../denoise/passages/passage-report.ts';
import { findSpeech } from '../voicing/speech-activity.ts';
import { meterSpeechLevels, type SpeechLevels } from '../voicing/speech-levels.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { findPresence } from './presence.ts';

/** Quieter recordings are judged as if they had this loudness: speech is found by absolute levels too, LUFS. */
const judgedLufs = -30;

/** Passages that the suppressor's watcher kept for a voice's sake. */
const voiceCodes: readonly string[] = ['quiet_voice_kept', 'far_voice_kept'];

/** Each further channel counts by this factor of the one before: neither sides nor opposite phases cancel. */
const nextChannel = 0.7;

/** Measures the levels of all channels as one: half the work of stereo. */
export function meterAsOne(options: { readonly tones: boolean }): Analyser<SpeechLevels> {
  const meter = meterSpeechLevels({ ...options, peaks: false });
  return {
    ...meter,
    open(format) {
      meter.open({ ...format, channels: 1, layout: 'mono' });
      return format;
    },
    process(block, emit) {
      const [first, ...others] = block.planes;
      if (first && others.length === 0) meter.process(block, emit);
      else if (first) {
        const sum = first.slice(0, block.frames);
        for (const [index, plane] of others.entries()) {
          const share = nextChannel ** (index + 1);
          for (let i = 0; i < sum.length; i += 1) sum[i]! += share * (plane[i] as number);
        }
        meter.process({ ...block, planes: [sum] }, () => undefined);
        emit(block);
      }
    },
  };
}

/**
 * Is there a voice in a recording? Whom the listener hears decides; where that is in doubt, levels before and after the
 * suppressor do: laughter, a creak, a word in noise.
 * @param inputLufs loudness of the recording
 */
export function voiceFound(
  before: SpeechLevels,
  after: SpeechLevels,
  report: PassageReport,
  inputLufs: number | null,
): boolean {
  const who = report.whoIsHeard();
  if (who !== null && who !== 'perhaps') return who === 'person';
  if (report.warnings().some(({ code }) => voiceCodes.includes(code))) return true;
  const power = dbToGain(Math.max(0, judgedLufs - (inputLufs ?? judgedLufs))) ** 2;
  const louder = (levels: SpeechLevels): SpeechLevels =>
    power === 1 ? levels : { ...levels, energy: levels.energy.map((energy) => energy * power) };
  const left = louder(after);
  return findPresence({
    original: louder(before),
    cleanEnergy: left.energy,
    clean: findSpeech(left),
    musicSeconds: report.musicSeconds(),
  }).voice;
}
