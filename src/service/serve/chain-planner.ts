// What the library's chains and recipes are for the service.
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { JsonObject } from '../../library/core/json.ts';
import { formatChoices, isTaken, ofStep, requireGiven } from '../../library/contract/chain-calls.ts';
import { planChain } from '../../library/runtime/chains/chain.ts';
import { requireSound } from '../../library/runtime/chains/forms.ts';
import { recipeChain, recipes, requireRecipe } from '../../library/runtime/chains/recipes.ts';
import type { ChainPlanner } from '../rules/chains/planner.ts';

export function createChainPlanner(): ChainPlanner {
  return {
    recipes: recipes.map(({ name, description, files, options }) => ({
      name,
      description,
      minFiles: files.min,
      maxFiles: files.max,
      options: Object.fromEntries(
        Object.entries(options).map(([option, { description: what, choices, perFile = false, default: usual }]) => [
          option,
          { description: what, choices, perFile, default: usual },
        ]),
      ),
    })),
    plan({ recipe: named, options, chain: given, format }, files) {
      const recipe = named === null ? null : requireRecipe(named);
      const chain = recipe === null ? given : recipeChain(recipe, files, options, 'file_ids');
      const { name, steps } = planChain(chain);
      requireGiven(steps, files);
      const wanted = format ?? recipe?.format ?? null;
      requireSound(steps, wanted);
      for (const step of steps)
        if (
          step.isResult &&
          !isTaken(steps, step.name) &&
          wanted !== null &&
          step.soundFormat !== null &&
          step.soundFormat !== wanted
        )
          throw ofStep(
            step.name,
            new EarshotError(
              'bad_request',
              `Expected ${wanted} as its format, as the result is to have, but it says ${step.soundFormat}`,
              { nextAction: 'Leave the format out of the step, or of the chain.', details: { field: 'format' } },
            ),
          );
      return {
        name,
        format: wanted,
        steps: steps.map(({ tool, options: parsed, formats, ...step }) => ({
          ...step,
          tool: tool.id,
          options: parsed as JsonObject,
          choices: formatChoices(tool.options),
          formats: tool.writesText === true ? (formats ?? tool.formats ?? null) : null,
        })),
      };
    },
  };
}
