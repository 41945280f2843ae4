import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { JsonObject } from '../../../../library/core/json.ts';
import { type NoteKind, noteKinds } from '../../../rules/accounts/account-notes.ts';
import type { Account } from '../../../rules/accounts/account.ts';
import { authenticate } from '../../interface/authenticate.ts';
import type { Site } from '../frame/site.ts';

interface Place {
  readonly kind: string;
  readonly name: string;
}
const Body = Type.Object({
  value: Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true }),
});

/** @throws EarshotError not_found */
function kindOf({ kind }: Pick<Place, 'kind'>): NoteKind {
  const found = noteKinds.find((each) => each === kind);
  if (found === undefined) throw new EarshotError('not_found', `There are no notes ${kind.slice(0, 20)}`);
  return found;
}

/** What scripts keep with the account instead of in one browser; every answer is JSON. */
export function noteRoutes(scope: FastifyInstance, { service, config }: Site): void {
  const options = { config: { access: 'public' as const } };
  const own = (request: FastifyRequest, reply: FastifyReply): Promise<Account> => {
    void reply.header('cache-control', 'no-store');
    return authenticate(request, service.access, config);
  };
  scope.get<{ Params: Pick<Place, 'kind'> }>('/notes/:kind', options, async (request, reply) =>
    reply.send({ notes: await service.notes.list(await own(request, reply), kindOf(request.params)) }),
  );
  scope.put<{ Params: Place; Body: Static<typeof Body> }>(
    '/notes/:kind/:name',
    { ...options, schema: { body: Body } },
    async (request, reply) => {
      const account = await own(request, reply);
      const note = { name: request.params.name, value: request.body.value };
      await service.notes.save(account, kindOf(request.params), note);
      return reply.code(204).send();
    },
  );
  scope.delete<{ Params: Place }>('/notes/:kind/:name', options, async (request, reply) => {
    const account = await own(request, reply);
    await service.notes.remove(account, kindOf(request.params), request.params.name);
    return reply.code(204).send();
  });
}
