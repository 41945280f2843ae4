// level_speakers' gains over built conversations whose turns are known, from stored levels.
import type { SpeechLevels } from '../../../src/library/dsp/voicing/speech-levels.ts';
import type { SpeakerTurn } from '../../../src/library/speech/speakers/speaker-turn.ts';
import { hopsOf, levelled, levelsOf, moved, turnsOff } from '../../tools/level-talks.ts';
import { type Figure, figure, type Measure } from '../figures.ts';
import { stored } from '../store.ts';
import { keep, lonely, soundsWithoutSpeech, taken, talks } from './talk-levels.ts';

export interface Talk {
  readonly levels: SpeechLevels;
  readonly turns: readonly SpeakerTurn[];
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / Math.max(1, values.length);
/** What listeners take for a jump. */
const offLu = 1.5;

/** How far the gain of a turn's hops lies from its own median, mean of all, dB. */
function gainWithinTurn(gainsDb: Float32Array, from: number, to: number): number {
  const own = gainsDb.subarray(from, to);
  const middle = own.toSorted()[own.length >> 1] ?? 0;
  return mean([...own].map((gain) => Math.abs(gain - middle)));
}

export interface Sounds {
  readonly talks: readonly Talk[];
  readonly lonely: readonly SpeechLevels[];
  readonly withoutSpeech: readonly SpeechLevels[];
}

export function judge({ talks: all, lonely: alone, withoutSpeech }: Sounds): Figure[] {
  const off: Record<'alone' | 'labels', number[]> = { alone: [], labels: [] };
  const [within, lift]: number[][] = [[], []];
  let [missed, found] = [0, 0];
  for (const { levels, turns } of all) {
    const { hopSeconds, energy } = levels;
    const { activity, gainsDb } = levelled(levels, null);
    off.alone.push(...turnsOff(levels, turns, gainsDb));
    off.labels.push(...turnsOff(levels, turns, levelled(levels, turns).gainsDb));
    const said = new Uint8Array(energy.length);
    let loudest = Number.POSITIVE_INFINITY;
    for (const turn of turns) {
      const [from, to] = hopsOf(turn, hopSeconds);
      said.fill(1, from, to);
      within!.push(gainWithinTurn(gainsDb, from, to));
      loudest = Math.min(loudest, gainsDb[(from + to) >> 1] as number);
    }
    for (const [hop, on] of said.entries()) {
      if (on === 0) lift!.push((gainsDb[hop] as number) - loudest);
      if (on === 1 && activity.speech[hop] === 0) missed += hopSeconds;
      if (on === 0 && activity.speech[hop] === 1) found += hopSeconds;
    }
  }
  for (const levels of withoutSpeech)
    found += levelled(levels, null).activity.speech.reduce((sum, on) => sum + on, 0) * levels.hopSeconds;
  const movedDb = alone.reduce((sum, levels) => sum + moved(levels).movedDb, 0);
  const over = (misses: readonly number[]): number => misses.filter((lu) => lu > offLu).length;
  return [
    figure(`turns over ${offLu} LU off of ${off.alone.length}`, over(off.alone), '', 'lower'),
    figure('turns off, mean', mean(off.alone), 'LU', 'lower', 2),
    figure(`the same told who speaks, over ${offLu} LU`, over(off.labels), '', 'lower'),
    figure('mean', mean(off.labels), 'LU', 'lower', 2),
    figure('gain moves within a turn', mean(within!), 'dB', 'lower', 2),
    figure('one voice alone, gain moves in all', movedDb, 'dB', 'lower', 0),
    figure('noise of pauses lifted', mean(lift!), 'dB', 'lower', 2),
    figure('speech missed', missed, 's', 'lower', 0),
    figure('speech where there is none', found, 's', 'lower', 0),
  ];
}

export const measure: Measure = async () => {
  const kept = await stored('talk-levels', () => ({
    talks: talks(4).map(({ turns, ...voice }) => ({ levels: keep(levelsOf(voice)), turns })),
    lonely: lonely().map((voice) => keep(levelsOf(voice))),
    withoutSpeech: soundsWithoutSpeech().map((voice) => keep(levelsOf(voice))),
  }));
  return judge({
    talks: kept.talks.map(({ levels, turns }) => ({ levels: taken(levels), turns })),
    lonely: kept.lonely.map(taken),
    withoutSpeech: kept.withoutSpeech.map(taken),
  });
};
