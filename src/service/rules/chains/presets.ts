// Chains that an account saved, and that it runs by their names.
import { optionsBesideSteps } from '../../../library/contract/chain-calls.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { Account } from '../accounts/account.ts';
import type { ChainPreset, ChainPresetStore } from './chain-store.ts';
import type { ChainOrder, ChainPlanner } from './planner.ts';

/** Of one chain: it may name any of them. */
const mostFiles = 20;
/** Of one account. */
const mostPresets = 100;

/** An account's own chains. */
export interface Presets {
  /** Those of an account, by name. */
  presets(account: Account): Promise<readonly ChainPreset[]>;
  /**
   * Saves a chain under a name, which can be given in place of a recipe's. It replaces one of that name.
   * @throws EarshotError bad_request for a chain or a name that does not do, limit_exceeded
   */
  savePreset(account: Account, name: string, chain: JsonObject): Promise<ChainPreset>;
  /** Chains of it that run go on. @throws EarshotError not_found */
  removePreset(account: Account, name: string): Promise<void>;
}

/** `known`: an order of a preset is one of its chain. */
export function createPresets(
  presets: ChainPresetStore,
  planner: ChainPlanner,
): Presets & { known<Order extends ChainOrder>(account: Account, order: Order): Promise<Order> } {
  const isRecipe = (given: string): boolean => planner.recipes.some(({ name }) => name === given);
  return {
    async known(account, order) {
      const { recipe } = order;
      if (recipe === null || isRecipe(recipe)) return order;
      const preset = await presets.get(account.id, recipe);
      // The planner says which recipes there are.
      if (preset === null) return order;
      if (Object.keys(order.options).length > 0) throw optionsBesideSteps();
      return { ...order, recipe: null, chain: { name: preset.name, ...preset.chain } };
    },
    presets: (account) => presets.list(account.id),
    async savePreset(account, name, chain) {
      if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
        throw badValue('name', 'up to 40 lower case letters, digits and hyphens', name.slice(0, 100));
      if (isRecipe(name)) throw badValue('name', 'another name than that of a recipe', name);
      planner.plan({ recipe: null, options: {}, chain, format: null }, mostFiles);
      return await presets.save(account.id, name, chain, mostPresets);
    },
    async removePreset(account, name) {
      if (!(await presets.remove(account.id, name)))
        throw new EarshotError('not_found', `There is no preset ${name.slice(0, 100)}`);
    },
  };
}
