import type { Stage } from '../../pcm/stage.ts';
import { balance } from './balance.ts';
import { compress } from './compress.ts';
import { deEss } from './de-ess.ts';
import { dereverberate } from './dereverberate.ts';
import { extendBandwidth } from './extend-bandwidth.ts';
import type { VoicePlan } from './plan.ts';
import { type RestoredVoice, spliceHighs } from './splice-highs.ts';

/**
 * The stages for one voice after denoising, in order. Each has linear or zero phase, so that the result can be mixed
 * with the original.
 * @param restored opens a copy of the voice with externally restored highs; null: they are restored here
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
