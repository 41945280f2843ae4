// mix_tracks' music under conversations whose turns are known, and level_speakers' tracks of two microphones that hear
// each other's speaker.
import { join } from 'node:path';
import { findDominance } from '../../../src/library/dsp/gain/dominance.ts';
import { duckUnder, phrasesOf } from '../../../src/library/dsp/gain/duck.ts';
import { findSpeech } from '../../../src/library/dsp/voicing/speech-activity.ts';
import type { SpeakerTurn } from '../../../src/library/speech/speakers/speaker-turn.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import {
  built,
  type Conversation,
  farApart,
  hopsOf,
  levelsOf,
  talkingVoices,
  type Voice,
  steepestDbPerSecond,
} from '../../tools/level-talks.ts';
import { figure, type Measure } from '../figures.ts';
import { samples, stored } from '../store.ts';
import { keep, type KeptLevels, taken } from './talk-levels.ts';

const talksOfEach = 6;
/** How much softer a microphone hears the other speaker, dB. */
const bleedsDb = [10, 14, 20];

interface Kept {
  readonly turns: readonly SpeakerTurn[];
  readonly talk: KeptLevels;
  /** Of each microphone. */
  readonly tracks: readonly KeptLevels[];
}

/** What the microphone of one speaker hears of the talk. */
function track({ samples: plane, rate, turns }: Conversation, own: number, bleedDb: number, seed: number): Voice {
  const random = seeded(seed);
  const bleed = 10 ** (-bleedDb / 20);
  const gains = new Float32Array(plane.length).fill(bleed);
  for (const { startSeconds, endSeconds, speaker } of turns)
    if (speaker === own) gains.fill(1, Math.round(startSeconds * rate), Math.round(endSeconds * rate));
  return { samples: plane.map((x, at) => x * gains[at]! + 2e-4 * (2 * random() - 1)), rate };
}

const talks = (): Promise<Kept[]> =>
  stored('ducking', () => {
    const voices = talkingVoices(join(samples, 'speech'));
    return bleedsDb.flatMap((bleedDb) =>
      Array.from({ length: talksOfEach }, (_, index): Kept => {
        const talk = built(voices, farApart, 6, seeded(100 * bleedDb + index));
        const tracks = [1, 2].map((own) => keep(levelsOf(track(talk, own, bleedDb, 10 * index + own))));
        return { turns: talk.turns, talk: keep(levelsOf(talk)), tracks };
      }),
    );
  });

/** Down is so far down. */
const downDb = -10;
/** Music that may come back: further than this from any word, seconds. */
const awaySeconds = 1.5;

export const measure: Measure = async () => {
  let [speech, over, away, back, steepest] = [0, 0, 0, 0, 0];
  let [own, lowered, others, left, gainBetween] = [0, 0, 0, 0, 0];
  let depth = 0;
  for (const { turns, talk, tracks } of await talks()) {
    const levels = taken(talk);
    const { hopSeconds, energy } = levels;
    const curve = duckUnder([phrasesOf(findSpeech(levels))], energy.length, hopSeconds);
    steepest = Math.max(steepest, steepestDbPerSecond(curve));
    const speakers = new Uint8Array(energy.length);
    for (const turn of turns) speakers.fill(turn.speaker, ...hopsOf(turn, hopSeconds));
    const reach = Math.round(awaySeconds / hopSeconds);
    for (const [hop, gain] of curve.gainsDb.entries()) {
      if (speakers[hop] !== 0) {
        speech += hopSeconds;
        depth -= gain * hopSeconds;
        if (gain > downDb) over += hopSeconds;
      } else if (speakers.subarray(Math.max(0, hop - reach), hop + reach + 1).every((speaker) => speaker === 0)) {
        away += hopSeconds;
        if (gain > -1) back += hopSeconds;
      }
    }
    const heard = tracks.map((one) => {
      const all = taken(one);
      return { energy: all.energy, activity: findSpeech(all, { softTurns: false }) };
    });
    for (const [index, { curve: gains }] of findDominance(heard).tracks.entries()) {
      for (const [hop, gain] of gains.gainsDb.entries()) {
        if (speakers[hop] === index + 1) {
          own += hopSeconds;
          if (gain < -3) lowered += hopSeconds;
        } else if (speakers[hop] !== 0) {
          others += hopSeconds;
          if (gain > -9) left += hopSeconds;
        } else {
          gainBetween += Math.abs(gain - (gains.gainsDb[hop - 1] ?? gain));
        }
      }
    }
  }
  return [
    figure('speech with music that is not down', (100 * over) / speech, '%', 'lower', 2),
    figure('music under speech falls', depth / speech, 'dB', 'higher', 2),
    figure('long pauses with music back', (100 * back) / away, '%', 'higher', 1),
    figure('steepest', steepest, 'dB/s', 'lower', 0),
    figure('own speech turned down', (100 * lowered) / own, '%', 'lower', 2),
    figure("others' speech left on a track", (100 * left) / others, '%', 'lower', 2),
    figure('tracks move between turns', gainBetween, 'dB', 'lower', 0),
  ];
};
