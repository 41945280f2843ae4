// Everything about an ordered chain that can be decided, and refused, without the account's balance.
import { ofStep } from '../../../library/contract/chain-calls.ts';
import { requireDiskRoom } from '../files/disk-room.ts';
import type { Account } from '../accounts/account.ts';
import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import { loadInputs, loadReadyFiles, requireAvailable, requireTotalLength } from '../jobs/inputs.ts';
import { requirePlan } from '../jobs/order.ts';
import type { Config } from '../settings/config.ts';
import type { Prices } from '../tools/prices.ts';
import type { FactsByTool } from '../tools/tool-facts.ts';
import { estimate, type StepPrice } from './estimate.ts';
import type { ChainOrder, ChainPlanner } from './planner.ts';
import type { ChainPlan, StoredStep } from './stored-chain.ts';

export interface PreparationDeps {
  readonly files: FileStore;
  readonly objects: Pick<ObjectStore, 'freeBytes'>;
  readonly planner: ChainPlanner;
  readonly tools: FactsByTool;
  readonly prices: Prices;
  readonly config: Pick<Config, 'maxSeconds' | 'diskReserveBytes'>;
  readonly now: () => Date;
}

/** A chain that may be ordered. */
interface Prepared {
  /** In the names of its results. */
  readonly name: string;
  readonly plan: ChainPlan;
  /** What each step costs at most. */
  readonly steps: readonly StepPrice[];
}

export function createPreparation({ files, objects, planner, tools, prices, config, now }: PreparationDeps) {
  const storedStep = (step: ReturnType<ChainPlanner['plan']>['steps'][number]): StoredStep => {
    const { inputs, billing, writesText = false } = tools[step.tool];
    const special = Object.keys(tools[step.tool].creditsPerMinuteWith ?? {});
    return {
      ...step,
      inputs,
      billing,
      writesText,
      rate: prices.creditsPerMinute(step.tool),
      ratesWith: Object.fromEntries(special.map((field) => [field, prices.creditsPerMinute(step.tool, [field])])),
    };
  };

  /** @throws EarshotError errors of files and tools; of a step they name it */
  return async function prepare(
    account: Account,
    request: ChainOrder & { readonly fileIds: readonly string[] },
  ): Promise<Prepared> {
    const { fileIds } = request;
    const planned = planner.plan(request, fileIds.length);
    const at = now();
    const owner = { accountId: account.id };
    const named = fileIds.map((id) => ({ field: 'file_ids', id }));
    const found = await loadReadyFiles(files, owner, named, at);
    for (const id of new Set(planned.steps.map(({ tool }) => tool))) await requireAvailable(tools[id]);
    await requireDiskRoom(objects, config, 0);
    const plan: ChainPlan = {
      steps: planned.steps.map(storedStep),
      format: planned.format,
      files: found.map(({ id, filename, durationSeconds }) => ({ id, filename, durationSeconds })),
    };
    const first: (() => Promise<void>)[] = [];
    const steps = estimate(plan, ({ name, tool: id, options }, inputs, lengthSeconds) => {
      const tool = tools[id];
      requireTotalLength(tool, lengthSeconds, config.maxSeconds);
      const ids = Object.fromEntries(
        Object.entries(inputs).map(([field, list]) => [field, list.map((file) => file.id)]),
      );
      // Files that are not there yet cannot be looked at.
      if (
        Object.values(ids)
          .flat()
          .every((fileId) => fileId !== '')
      )
        first.push(async () => {
          try {
            requirePlan(tool, await loadInputs(files, owner, tool, ids, at), { options });
          } catch (thrown) {
            throw ofStep(name, thrown);
          }
        });
    });
    for (const check of first) await check();
    return { name: planned.name, plan, steps };
  };
}
