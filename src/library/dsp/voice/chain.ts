import type { Stage } from '../../pcm/stage.ts';
import { balance } from './balance.ts';
import { compress } from './compress.ts';
import { deEss } from './de-ess.ts';
import { dereverberate } from './dereverberate.ts';
import { extendBandwidth } from './extend-bandwidth.ts';
import type { VoicePlan } from './plan.ts';
import { type RestoredVoice, spliceHighs } from './splice-highs.ts';

/**
 * What is done to one voice after its noise is gone, in order. Each step's phase is linear or zero, so that the result
 * may be mixed with the original.
 * @param restored opens a copy of the voice whose highs something else has restored; null: they are made here
 */
export function voiceStages(
  { activeDb, room, balance: points, extend, cutoffHz, sharpness }: VoicePlan,
  restored: (() => RestoredVoice) | null = null,
): Stage[] {
  if (activeDb === null) return [];
  return [
    ...(room ? [dereverberate(room)] : []),
    ...(points ? [balance(points)] : []),
    ...(extend
      ? [restored ? spliceHighs({ restored: restored(), cutoffHz }) : extendBandwidth({ activeDb, cutoffHz })]
      : []),
    deEss(activeDb, sharpness),
    compress(activeDb),
  ];
}
