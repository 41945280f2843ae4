// The protocol over standard input and output. Loaded by `earshot mcp` alone.
import { fromJsonSchema, type JsonSchemaType, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isAbortError } from '../../library/core/abort.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { packageVersion } from '../../library/core/start/package-version.ts';
import type { OnProgress } from '../../library/core/progress/progress.ts';
import { assistantError, assistantResult, promptResult, quotedRule } from '../../library/contract/assistant-answers.ts';
import { assistantPrompts, promptSchema } from '../../library/contract/assistant-prompts.ts';
import { shortSchema } from '../../library/tools/assistant-tool.ts';
import { chooseCalls } from '../../library/tools/assistant-groups.ts';
import { keepEncodingName } from '../../library/tools/declare/keep-encoding.ts';
import { tools } from '../../library/tools/registry.ts';
import { createUntypedEngine } from '../../library/runtime/engine/engine.ts';
import type { AllowedFolders } from './calls/allowed-folders.ts';
import { localCalls } from './calls/all.ts';
import { jobsFolder } from './jobs/job-records.ts';
import { LocalJobs, mostWaitSeconds } from './jobs/local-jobs.ts';
import { wholeLines } from './whole-lines.ts';

/**
 * Serves until standard input ends or the signal fires. Runs under way are aborted then; their partial files are
 * removed, and a later server says so.
 * @param chosen which tools there are, see `chooseCalls`
 * @throws EarshotError bad_request for a word that chooses none
 */
export async function serveAssistant(folders: AllowedFolders, chosen: string, signal: AbortSignal): Promise<void> {
  await using engine = createUntypedEngine({ runsPerProcess: 1 });
  const jobs = new LocalJobs(jobsFolder(folders.roots, folders.outputDir));
  // Calls check their own arguments and answer with errors of the catalogue.
  const trusting = {
    getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }),
  };
  const registered = chooseCalls(localCalls({ engine, folders, jobs }), chosen, '--tools').map((call) => ({
    call,
    inputSchema: fromJsonSchema<Record<string, unknown>>(shortSchema(call.inputSchema) as JsonSchemaType, trusting),
    outputSchema: fromJsonSchema<object>(call.outputSchema as JsonSchemaType, trusting),
  }));
  const prompts = assistantPrompts(true).map((prompt) => ({
    prompt,
    argsSchema: fromJsonSchema<Record<string, string>>(promptSchema(prompt)),
  }));
  const instructions = instructionsFor(folders);
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const lines = process.stdin.pipe(wholeLines(mostLineBytes, refuseLine));
  const transport = new StdioServerTransport(lines, process.stdout, { maxBufferSize: 2 * mostLineBytes });
  const server = serveStdio(
    () => {
      const mcp = new McpServer({ name: 'earshot', title: 'Earshot', version: packageVersion() }, { instructions });
      for (const { call, inputSchema, outputSchema } of registered) {
        const { name, title, description, readOnly, replaces } = call;
        const annotations = { readOnlyHint: readOnly, destructiveHint: replaces, openWorldHint: false };
        mcp.registerTool(
          name,
          { title, description, inputSchema, outputSchema, annotations },
          async (given, context) => {
            try {
              const waiting = { signal: context.mcpReq.signal, onProgress: progressOf(context) };
              return assistantResult(await call.run(given, waiting));
            } catch (thrown) {
              if (isAbortError(thrown)) throw thrown;
              return assistantError(EarshotError.from(thrown));
            }
          },
        );
      }
      for (const { prompt, argsSchema } of prompts) {
        const { name, title, description } = prompt;
        mcp.registerPrompt(name, { title, description, argsSchema }, (given) => promptResult(prompt.text(given)));
      }
      return mcp;
    },
    { transport },
  );
  await ended;
  await jobs.close();
  await server.close();
  // One that is still open would keep the process alive.
  process.stdin.destroy();
}

function instructionsFor({ roots, outputDir }: AllowedFolders): string {
  const keeping = tools.filter(({ options }) => keepEncodingName in (options.properties ?? {})).map(({ id }) => id);
  return (
    'Earshot processes audio and video on this machine: noise, voice, loudness, cutting, pauses, fillers, ' +
    `transcripts, captions, mixing. Files may be in ${roots.join(', ')}; results are written ` +
    `${outputDir === null ? 'beside their inputs' : `to ${outputDir}`} and existing files are replaced only on ` +
    'request. Every tool that writes files also takes output_dir (a folder), overwrite, picture: true (a picture of ' +
    'the waveform) and measure: false (no loudness, peak and noise before and after); every tool takes track, the ' +
    `sound track by number or language. ${keepEncodingName}: true copies packets in ${keeping.join(', ')}. A call that ` +
    `takes longer than ${mostWaitSeconds} s (wait: fewer) answers with a job_id for get_job, and its work goes on. ` +
    `Times may be written as 1:02.5. run_chain takes every tool, also those that are not listed. ${quotedRule}`
  );
}

/** A longer message would end the transport, and the server with it. */
const mostLineBytes = 10 * 2 ** 20;

function refuseLine(id: string | number | null): void {
  const message = `Expected a message of at most ${mostLineBytes} bytes but it is longer. Name files, do not send their bytes.`;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: invalidRequest, message } })}\n`);
}
/** Of JSON-RPC. */
const invalidRequest = -32_600;

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
