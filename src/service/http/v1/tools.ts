import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { restBodySchema } from '../interface/rest-body.ts';
import { accountOf } from '../server/context.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { QuoteSchema, ref, toolId, type ToolDescriptor, ToolList } from '../interface/schemas.ts';

const QuoteBody = Type.Object(
  {
    tool: toolId,
    fileIds: Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 20,
      description:
        "In the job's order: main input first, every file for join and mix, video then audio for swap audio, each " +
        'track for level speakers by tracks',
    }),
  },
  { additionalProperties: false, $id: 'QuoteRequest' },
);

/** GET /api/v1/tools and POST /api/v1/quote. */
export function toolRoutes(app: FastifyInstance, { service, tools }: RouteDeps): void {
  app.addSchema(QuoteBody);
  const inputs = new Map(tools.map((tool) => [tool.id, restBodySchema(tool)]));

  app.route({
    method: 'GET',
    url: '/api/v1/tools',
    ...operation({
      operationId: 'listTools',
      summary: 'Every tool with its price, its free allowance and its input',
      tag: 'Tools and pricing',
      access: 'public',
      answers: { 200: answer(ref(ToolList), 'The tools') },
    }),
    handler: async (): Promise<Static<typeof ToolList>> => {
      const offers = new Map((await service.tools.offers()).map((offer) => [offer.id, offer]));
      const data = tools.flatMap(({ id, title, slug, description }): Static<typeof ToolDescriptor>[] => {
        const offer = offers.get(id);
        if (offer === undefined) return [];
        const { enabled, seconds, dailyUses } = offer.free;
        return [
          {
            id,
            title,
            slug,
            // Also says if the tool is not available, and what is missing.
            description: offer.unavailable === null ? description : `${description} ${offer.unavailable}`,
            creditsPerMinute: offer.creditsPerMinute,
            free: { enabled, seconds, dailyUses },
            input: inputs.get(id) ?? {},
          },
        ];
      });
      return { data, nextCursor: null };
    },
  });

  app.route<{ Body: Static<typeof QuoteBody> }>({
    method: 'POST',
    url: '/api/v1/quote',
    ...operation({
      operationId: 'quote',
      summary: 'What a job would cost',
      tag: 'Tools and pricing',
      access: 'account',
      body: QuoteBody,
      answers: { 200: answer(ref(QuoteSchema), 'The quote') },
      errors: [
        'not_found',
        'file_not_ready',
        'file_invalid',
        'file_expired',
        'wrong_file_type',
        'file_too_long',
        'no_audio',
      ],
    }),
    handler: async (request): Promise<Static<typeof QuoteSchema>> => {
      const { tool, fileIds } = request.body;
      const { seconds, credits, free } = await service.tools.quote(accountOf(request), tool, fileIds);
      return { tool, seconds, credits, free: { seconds: free.seconds, usesLeftToday: free.usesLeftToday } };
    },
  });
}
