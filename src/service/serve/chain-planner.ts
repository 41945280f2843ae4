// What the library's chains and recipes are for the service.
import { badValue } from '../../library/core/checks/schema.ts';
import { shownName, whatWasMeant } from '../../library/core/checks/names.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { JsonObject } from '../../library/core/json.ts';
import { formatChoices, ofStep } from '../../library/contract/chain-calls.ts';
import { type Chain, planChain } from '../../library/runtime/chains/chain.ts';
import { findRecipe, type Recipe, recipes } from '../../library/runtime/chains/recipes.ts';
import type { ChainPlanner } from '../rules/chains/planner.ts';

export function createChainPlanner(): ChainPlanner {
  return {
    recipes: recipes.map(({ name, description, files, options }) => ({
      name,
      description,
      minFiles: files.min,
      maxFiles: files.max,
      options: Object.fromEntries(
        Object.entries(options).map(([option, { description: what, choices, default: usual }]) => [
          option,
          { description: what, choices, default: usual },
        ]),
      ),
    })),
    plan({ recipe: named, options, chain: given, format }, files) {
      const recipe = named === null ? null : recipeOf(named);
      const chain = recipe === null ? given : chainOf(recipe, options, files);
      const { name, steps } = planChain(chain);
      const wanted = format ?? recipe?.format ?? null;
      for (const step of steps)
        if (step.isResult && wanted !== null && step.soundFormat !== null && step.soundFormat !== wanted)
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

function recipeOf(name: string): Recipe {
  const recipe = findRecipe(name);
  if (recipe !== undefined) return recipe;
  const meant = whatWasMeant(
    name,
    recipes.map((each) => each.name),
  );
  throw new EarshotError('bad_request', `There is no recipe ${shownName(name)}; ${meant}`, {
    details: { field: 'recipe', received: name },
  });
}

function chainOf({ name, files, options, chain }: Recipe, given: JsonObject, count: number): Chain {
  if (count < files.min || count > files.max)
    throw badValue(
      'file_ids',
      files.min === files.max ? `${files.min} file for ${name}` : `${files.min} to ${files.max} files for ${name}`,
      count,
    );
  for (const [option, value] of Object.entries(given)) {
    const known = Object.hasOwn(options, option) ? options[option] : undefined;
    if (known === undefined)
      throw new EarshotError(
        'bad_request',
        `${name} has no option ${shownName(option)}; ${whatWasMeant(option, Object.keys(options))}`,
        { details: { field: 'options', received: option } },
      );
    const { choices } = known;
    if (choices === null ? typeof value !== 'boolean' : !choices.some((choice) => choice === value))
      throw badValue(option, choices === null ? 'true or false' : `one of ${choices.join(', ')}`, value);
  }
  const chosen = Object.fromEntries(
    Object.entries(options).map(([option, known]) => [option, (given[option] ?? known.default) as string | boolean]),
  );
  return chain(count, chosen);
}
