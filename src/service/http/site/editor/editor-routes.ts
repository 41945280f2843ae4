import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { JobRequest } from '../../../../library/contract/job-request.ts';
import type { ToolId } from '../../../../library/contract/tool-ids.ts';
import type { JsonObject, JsonValue } from '../../../../library/core/json.ts';
import { tools } from '../../../../library/tools/registry.ts';
import type { Account } from '../../../rules/accounts/account.ts';
import { authenticate } from '../../interface/authenticate.ts';
import { errorAnswer } from '../../interface/errors.ts';
import { fileRecord, jobRecord } from '../../interface/records.ts';
import { sendStoredFile } from '../../server/send-file.ts';
import type { Site } from '../frame/site.ts';
import { shareRoutes } from './share-routes.ts';
import { EditBody, editBounds, editBytes, RenderBody, TextBody } from './edit-state.ts';
import { type ByFile, idOf, versionRoutes } from './version-routes.ts';

/** @throws EarshotError tool_unavailable, and what is wrong with the options */
function orderOf(id: ToolId, given: JsonObject): Pick<JobRequest, 'tool' | 'options'> {
  const tool = tools.find((each) => each.id === id);
  if (tool === undefined) throw new EarshotError('tool_unavailable', `This build has no ${id}`);
  return { tool: id, options: tool.parseOptions(given) as JsonObject };
}

/** What the editor's script asks for, with the session of the person; every answer is JSON, but for the sound. */
export function editorRoutes(scope: FastifyInstance, { service, config }: Site): void {
  const options = { config: { access: 'public' as const } };
  const editOptions = { config: { ...options.config, jsonBounds: editBounds }, bodyLimit: editBytes };
  const own = async (request: FastifyRequest, reply: FastifyReply): Promise<Account> => {
    void reply.header('cache-control', 'no-store');
    return authenticate(request, service.access, config);
  };

  // On our own origin also where files are kept in a bucket: the page may load from nowhere else.
  const sound = async (request: FastifyRequest<ByFile>, reply: FastifyReply): Promise<FastifyReply> => {
    const account = await authenticate(request, service.access, config);
    return sendStoredFile(request, reply, await service.edits.sound(account, idOf(request)), { errorAnswer });
  };
  scope.get<ByFile>('/edit/:file/sound', { ...options, exposeHeadRoute: false }, sound);
  scope.head<ByFile>('/edit/:file/sound', { ...options, schema: { hide: true } }, sound);

  scope.get<ByFile>('/edit/:file/state', options, async (request, reply) => {
    const account = await own(request, reply);
    const { file, edit, transcriptFileId } = await service.edits.open(account, idOf(request));
    return reply.send({ file: fileRecord(file, service.tools), transcriptFileId, edit });
  });

  scope.put<ByFile & { Body: EditBody }>(
    '/edit/:file/state',
    { ...editOptions, schema: { body: EditBody } },
    async (request, reply) => {
      const account = await own(request, reply);
      const { state, history = null, version, transcriptFileId } = request.body;
      const saved = await service.edits.save(account, idOf(request), {
        state: state as JsonObject,
        history: history as JsonValue,
        version,
        transcriptFileId,
      });
      return reply.send({ version: saved.version, savedAt: saved.savedAt.toISOString() });
    },
  );

  versionRoutes(scope, service, own);
  shareRoutes(scope, service, own);

  // Through the same door as every job; only the number of ranges is not that of the interface.
  scope.post<ByFile & { Body: RenderBody }>(
    '/edit/:file/render',
    { ...editOptions, schema: { body: RenderBody } },
    async (request, reply) => {
      const account = await own(request, reply);
      const { free, ...cut } = request.body;
      const given = { mode: 'remove', ...cut, output: 'joined' };
      const view = await service.edits.order(account, idOf(request), { ...orderOf('cut_audio', given), free });
      return reply.code(201).send(jobRecord(view, service.tools));
    },
  );

  // The words of a recording: the same press gives the same job.
  scope.post<ByFile & { Body: TextBody }>(
    '/edit/:file/transcript',
    { ...options, schema: { body: TextBody } },
    async (request, reply) => {
      const account = await own(request, reply);
      const { script } = request.body;
      const order =
        script === null
          ? orderOf('transcribe_audio', { sound_events: true })
          : orderOf('align_script', { text: script });
      const view = await service.edits.order(account, idOf(request), order);
      return reply.code(201).send(jobRecord(view, service.tools));
    },
  );
}
