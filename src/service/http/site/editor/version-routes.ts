import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../../../rules/accounts/account.ts';
import type { Service } from '../../../rules/service.ts';
import { VersionBody } from './edit-state.ts';

export interface ByFile {
  Params: { file: string };
}

interface ByVersion {
  Params: { file: string; id: string };
}

export const idOf = ({ params }: { readonly params: { readonly file: string } }): string => params.file.slice(0, 100);

/** Edits by a name, and the recording with all that was made of it. @param own the account of a request */
export function versionRoutes(
  scope: FastifyInstance,
  service: Service,
  own: (request: FastifyRequest, reply: FastifyReply) => Promise<Account>,
): void {
  const options = { config: { access: 'public' as const } };
  const ofFile = '/edit/:file/versions';
  scope.get<ByFile>(ofFile, options, async (request, reply) => {
    const account = await own(request, reply);
    const [versions, project] = await Promise.all([
      service.edits.versions(account, idOf(request)),
      service.edits.project(account, idOf(request)),
    ]);
    return reply.send({ versions, project });
  });
  scope.post<ByFile & { Body: VersionBody }>(
    ofFile,
    { ...options, schema: { body: VersionBody } },
    async (request, reply) => {
      const account = await own(request, reply);
      return reply.code(201).send(await service.edits.nameVersion(account, idOf(request), request.body));
    },
  );
  scope.get<ByVersion>(`${ofFile}/:id`, options, async (request, reply) => {
    const account = await own(request, reply);
    const { state, transcriptFileId } = await service.edits.version(account, idOf(request), request.params.id);
    return reply.send({ state, transcriptFileId });
  });
  scope.delete<ByVersion>(`${ofFile}/:id`, options, async (request, reply) => {
    const account = await own(request, reply);
    await service.edits.removeVersion(account, idOf(request), request.params.id);
    return reply.code(204).send();
  });
  scope.delete<ByFile>('/edit/:file', options, async (request, reply) => {
    const account = await own(request, reply);
    await service.edits.removeProject(account, idOf(request));
    return reply.code(204).send();
  });
}
