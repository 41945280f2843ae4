import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../../interface/authenticate.ts';
import { errorAnswer } from '../../interface/errors.ts';
import { sendStoredFile } from '../../server/send-file.ts';
import type { Site } from '../frame/site.ts';

interface ByFile {
  Params: { file: string };
}

/**
 * GET /files/<id>/content: a file of the account, with its session. On our own origin also where files are kept in a
 * bucket, since the pages may load from nowhere else; and its address stays valid as long as the file.
 */
export function ownFileRoutes(scope: FastifyInstance, { service, config }: Site): void {
  const options = { config: { access: 'public' as const }, schema: { hide: true } };
  const content = async (request: FastifyRequest<ByFile>, reply: FastifyReply): Promise<FastifyReply> => {
    const account = await authenticate(request, service.access, config);
    const opened = await service.files.open(account, request.params.file.slice(0, 100));
    return sendStoredFile(request, reply, opened, { errorAnswer });
  };
  scope.get<ByFile>('/files/:file/content', { ...options, exposeHeadRoute: false }, content);
  scope.head<ByFile>('/files/:file/content', options, content);
}
