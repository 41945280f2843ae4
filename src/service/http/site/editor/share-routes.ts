import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import type { JsonBounds } from '../../../../library/core/json-text.ts';
import type { Account } from '../../../rules/accounts/account.ts';
import type { ShareView } from '../../../rules/edits/shares.ts';
import type { Service } from '../../../rules/service.ts';
import { editBytes } from './edit-state.ts';
import { type ByFile, idOf } from './version-routes.ts';

const mostSentences = 20_000;
const second = Type.Number({ minimum: 0, maximum: 1e6 });

/** The body of POST /edit/<file>/shares. docs/editor.md describes it. */
const ShareBody = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 300 }),
    language: Type.String({ maxLength: 35, pattern: '^[A-Za-z0-9-]*$' }),
    seconds: second,
    soundFileId: Type.Union([Type.String({ maxLength: 100, pattern: '^file_[0-9A-Za-z]+$' }), Type.Null()]),
    days: Type.Integer({ minimum: 1, maximum: 90, description: 'How long the link is valid' }),
    // When it begins in the edit and in the recording, who says it, and what.
    sentences: Type.Array(
      Type.Tuple([
        second,
        second,
        Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
        Type.String({ minLength: 1, maxLength: 5000 }),
      ]),
      { minItems: 1, maxItems: mostSentences },
    ),
  },
  { additionalProperties: false },
);

type ShareBody = Static<typeof ShareBody>;

/** A list of four for each sentence. */
const shareBounds: JsonBounds = { values: 5 * mostSentences + 100, names: 100 };

interface ById {
  Params: { file: string; id: string };
}

/** Links by which others read the text of an edit. @param own the account of a request */
export function shareRoutes(
  scope: FastifyInstance,
  { shares }: Service,
  own: (request: FastifyRequest, reply: FastifyReply) => Promise<Account>,
): void {
  const options = { config: { access: 'public' as const } };
  const ofFile = '/edit/:file/shares';
  scope.get<ByFile>(ofFile, options, async (request, reply) => {
    const found = await shares.list(await own(request, reply), idOf(request));
    return reply.send({ shares: found.map(shown) });
  });
  scope.post<ByFile & { Body: ShareBody }>(
    ofFile,
    { config: { ...options.config, jsonBounds: shareBounds }, bodyLimit: editBytes, schema: { body: ShareBody } },
    async (request, reply) => {
      const account = await own(request, reply);
      const sentences = request.body.sentences.map(([at, source, who, text]) => ({ at, source, who, text }));
      return reply.code(201).send(shown(await shares.add(account, idOf(request), { ...request.body, sentences })));
    },
  );
  scope.delete<ById>(`${ofFile}/:id`, options, async (request, reply) => {
    await shares.remove(await own(request, reply), idOf(request), request.params.id);
    return reply.code(204).send();
  });
  scope.delete<ById>('/edit/:file/comments/:id', options, async (request, reply) => {
    await shares.removeComment(await own(request, reply), idOf(request), request.params.id);
    return reply.code(204).send();
  });
}

/** Without the text: who has made it has it. */
const shown = ({
  share: { id, title, seconds, soundFileId, sentences, madeAt, expiresAt },
  url,
  comments,
}: ShareView) => ({
  id,
  title,
  seconds,
  hasSound: soundFileId !== null,
  madeAt,
  expiresAt,
  url,
  comments: comments.map((comment) => ({
    id: comment.id,
    name: comment.name,
    text: comment.text,
    madeAt: comment.madeAt,
    /** What it is about. */
    about: sentences[comment.sentence]?.text ?? '',
    source: sentences[comment.sentence]?.source ?? 0,
  })),
});
