// The protocol over standard input and output. Loaded by `earshot mcp` alone.
import { fromJsonSchema, type JsonSchemaType, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isAbortError } from '../../library/core/abort.ts';
import { EarshotError } from '../../library/core/errors.ts';
import { packageVersion } from '../../library/core/package-version.ts';
import type { OnProgress } from '../../library/core/progress.ts';
import { assistantError, assistantResult } from '../../library/contract/assistant-answers.ts';
import { createUntypedEngine } from '../../library/runtime/engine.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { localCalls } from './calls.ts';

/**
 * Serves until standard input ends or the signal fires. Runs under way are aborted then; their partial files are
 * removed.
 */
export async function serveAssistant(folders: AllowedFolders, signal: AbortSignal): Promise<void> {
  await using engine = createUntypedEngine({ runsPerProcess: 1 });
  // Calls check their own arguments and answer with errors of the catalogue.
  const trusting = {
    getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }),
  };
  const registered = localCalls(engine, folders).map((call) => ({
    call,
    inputSchema: fromJsonSchema<Record<string, unknown>>(call.inputSchema as JsonSchemaType, trusting),
  }));
  const outputSchema = fromJsonSchema<object>({ type: 'object' });
  const instructions =
    'Earshot processes audio and video on this machine: noise, voice, loudness, cutting, pauses, fillers, transcripts, ' +
    `captions, mixing. Files may be in ${folders.roots.join(', ')}; results are written ` +
    `${folders.outputDir === null ? 'beside their inputs' : `to ${folders.outputDir}`} and existing files are replaced only on request.`;

  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const server = serveStdio(
    () => {
      const mcp = new McpServer({ name: 'earshot', title: 'Earshot', version: packageVersion() }, { instructions });
      for (const { call, inputSchema } of registered) {
        const { name, title, description, readOnly } = call;
        const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false };
        mcp.registerTool(
          name,
          { title, description, inputSchema, outputSchema, annotations },
          async (given, context) => {
            try {
              return assistantResult(
                await call.run(given, { signal: context.mcpReq.signal, onProgress: progressOf(context) }),
              );
            } catch (thrown) {
              if (isAbortError(thrown)) throw thrown;
              return assistantError(EarshotError.from(thrown));
            }
          },
        );
      }
      return mcp;
    },
    { transport },
  );
  await ended;
  await server.close();
}

/** Reports progress if the client asked for it; it must increase with every notification. */
function progressOf({ mcpReq }: ServerContext): OnProgress {
  const token = mcpReq._meta?.progressToken;
  let last = -1;
  return ({ progress, stage }) => {
    if (token === undefined || progress <= last) return;
    last = progress;
    void mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress, total: 1, message: stage },
      })
      .catch(() => undefined);
  };
}
