import type { ToolId } from '../../../library/contract/tool-ids.ts';
import { nextUtcMidnight, usesLeft, utcDay } from '../accounts/free.ts';
import type { Allowance, FreeRuns } from './free-run-use-cases.ts';
import { freeOffer } from '../tools/tool-facts.ts';
import type { FreeRunsDeps } from './deps.ts';

/** A visitor's free uses today. */
export function createAllowances({
  freeRuns,
  freeUses,
  tools,
  config,
  now,
}: FreeRunsDeps): Pick<FreeRuns, 'allowance' | 'overview'> {
  function allowanceOf(id: ToolId, taken: Readonly<Partial<Record<ToolId, number>>>, at: Date): Allowance {
    const offer = freeOffer(tools[id], config);
    return {
      tool: id,
      dailyUses: offer.enabled ? offer.dailyUses : 0,
      usesLeft: usesLeft(offer, taken[id] ?? 0),
      seconds: offer.seconds,
      resetsAt: nextUtcMidnight(at),
    };
  }

  return {
    async allowance({ subject }, id) {
      const at = now();
      return allowanceOf(id, await freeUses.taken({ id: subject, day: utcDay(at) }), at);
    },

    async overview({ subject }) {
      const at = now();
      const [taken, waiting] = await Promise.all([
        freeUses.taken({ id: subject, day: utcDay(at) }),
        freeRuns.waitingRuns(subject, at),
      ]);
      const ids = Object.keys(tools) as ToolId[];
      return { allowances: ids.map((id) => allowanceOf(id, taken, at)), waiting };
    },
  };
}
