import type { Stage } from '../../pcm/stage.ts';
import { balance } from './balance.ts';
import { compress } from './compress.ts';
import { deEss } from './de-ess.ts';
import { dereverberate } from './dereverberate.ts';
import { extendBandwidth } from './extend-bandwidth.ts';
import type { VoicePlan } from './plan.ts';

/** What is done to one voice after its noise is gone, in order. Each step's phase is linear or zero, so that the result may be mixed with the original. */
export function voiceStages({ activeDb, room, balance: points, extend, cutoffHz }: VoicePlan): Stage[] {
  if (activeDb === null) return [];
  return [
    ...(room ? [dereverberate(room)] : []),
    ...(points ? [balance(points)] : []),
    ...(extend ? [extendBandwidth({ activeDb, cutoffHz })] : []),
    deEss(activeDb),
    compress(activeDb),
  ];
}
