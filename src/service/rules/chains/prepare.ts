// Everything about an ordered chain that can be decided, and refused, without the account's balance.
import { ofStep } from '../../../library/contract/chain-calls.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { requireDiskRoom } from '../files/disk-room.ts';
import type { Account } from '../accounts/account.ts';
import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { loadInputs, loadReadyFiles, requireAvailable, requireFitting, requireTotalLength } from '../jobs/inputs.ts';
import { requirePlan } from '../jobs/order.ts';
import type { Config } from '../settings/config.ts';
import type { Prices } from '../tools/prices.ts';
import type { FactsByTool } from '../tools/tool-facts.ts';
import { estimate, type StepPrice } from './estimate.ts';
import type { ChainOrder, ChainPlanner } from './planner.ts';
import type { ChainFile, ChainPlan, StoredStep } from './stored-chain.ts';

export interface PreparationDeps {
  readonly files: FileStore;
  readonly objects: Pick<ObjectStore, 'freeBytes'>;
  readonly planner: ChainPlanner;
  readonly tools: FactsByTool;
  readonly prices: Prices;
  readonly config: Pick<Config, 'maxSeconds' | 'diskReserveBytes'>;
  readonly now: () => Date;
}

/** What a chain of files is to cost that are not here yet. */
export interface ForetoldOrder extends ChainOrder {
  /** Length of each file, seconds. */
  readonly lengths: readonly number[];
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

  async function planFor(order: ChainOrder, given: readonly ChainFile[]): Promise<{ name: string; plan: ChainPlan }> {
    const { name, steps, format } = planner.plan(order, given.length);
    for (const id of new Set(steps.map(({ tool }) => tool))) await requireAvailable(tools[id]);
    return { name, plan: { steps: steps.map(storedStep), format, files: given } };
  }

  /** What each step would cost at most. @throws EarshotError errors of tools, which name the step */
  async function foretell(order: ForetoldOrder): Promise<Omit<Prepared, 'plan'>> {
    const given = order.lengths.map((durationSeconds) => ({ id: '', filename: 'file.wav', durationSeconds }));
    const { name, plan } = await planFor(order, given);
    const steps = estimate(plan, ({ tool }, _, lengthSeconds) =>
      requireTotalLength(tools[tool], lengthSeconds, config.maxSeconds),
    );
    return { name, steps };
  }

  /** @throws EarshotError errors of files and tools; of a step they name it */
  async function prepare(
    account: Account,
    request: ChainOrder & { readonly fileIds: readonly string[] },
  ): Promise<Prepared> {
    const { fileIds } = request;
    planner.plan(request, fileIds.length);
    const at = now();
    const owner = { accountId: account.id };
    const named = fileIds.map((id) => ({ field: 'file_ids', id }));
    const found = await loadReadyFiles(files, owner, named, at);
    const { name, plan } = await planFor(
      request,
      found.map(({ id, filename, durationSeconds }) => ({ id, filename, durationSeconds })),
    );
    await requireDiskRoom(objects, config, 0);
    const first: (() => Promise<void>)[] = [];
    const steps = estimate(plan, ({ name, tool: id, options }, inputs, lengthSeconds) => {
      const tool = tools[id];
      requireTotalLength(tool, lengthSeconds, config.maxSeconds);
      requireSuitable(name, tool, inputs, found);
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
    return { name, plan, steps };
  }

  return { prepare, foretell };
}

/** Of the files that the chain was given, also in steps whose other files are not there yet. */
function requireSuitable(
  step: string,
  { inputs: roles }: FactsByTool[ToolId],
  inputs: FilesByField<ChainFile>,
  found: readonly StoredFile[],
): void {
  for (const [field, files] of Object.entries(inputs)) {
    const role = roles[field];
    if (role === undefined) continue;
    for (const given of found.filter(({ id }) => files.some((file) => file.id === id))) {
      try {
        requireFitting(given, field, role);
      } catch (thrown) {
        throw ofStep(step, thrown);
      }
      if (!role.needs.includes('video') || given.hasVideo) continue;
      throw ofStep(
        step,
        new EarshotError('wrong_file_type', `Expected a video for ${field} but ${given.filename} has no picture`, {
          details: { field: 'file_ids' },
        }),
      );
    }
  }
}
