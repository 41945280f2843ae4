import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import type { JsonObject } from '../../../../library/core/json.ts';
import type { ForetoldPrice } from '../../../../site/recipe-data.ts';
import { requireOne } from '../../../rules/chains/chains.ts';
import type { ChainQuote } from '../../../rules/chains/chains.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { toolText } from '../tools/tool-text.ts';

const anyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });
const Foretell = Type.Object(
  {
    recipe: Type.Optional(Type.String({ maxLength: 40 })),
    options: Type.Optional(anyObject),
    chain: Type.Optional(anyObject),
    format: Type.Optional(Type.String({ maxLength: 10 })),
    seconds: Type.Array(Type.Number({ minimum: 0, maximum: 1e6 }), { minItems: 1, maxItems: 20 }),
  },
  { additionalProperties: false },
);

/** POST /recipes/price: what a chain would cost over files of these lengths, also of files that are not here yet. */
export function foretellRoute(scope: FastifyInstance, site: Site): void {
  scope.post<{ Body: Static<typeof Foretell> }>(
    '/recipes/price',
    { config: { access: 'public' }, schema: { hide: true, body: Foretell }, bodyLimit: 64 * 1024 },
    async (request, reply): Promise<ForetoldPrice> => {
      const { recipe = null, options = {}, chain = null, format = null, seconds } = request.body;
      const order = { recipe, options: options as JsonObject, chain, format };
      requireOne(order);
      const page = await openPage(site, request, reply);
      const quote = await site.service.chains.foretell({ ...order, lengths: seconds });
      void reply.header('cache-control', 'no-store');
      return { credits: quote.credits, steps: pricesOf(page, quote) };
    },
  );
}

/** What each step costs, in the words of the page. */
const pricesOf = (page: Page, { steps }: ChainQuote): ForetoldPrice['steps'] =>
  steps.map(({ name, tool, credits }) => {
    const found = page.site.tools.find(({ id }) => id === tool);
    return { name, title: found === undefined ? name : toolText(page, found).title, credits };
  });
