// The protocol itself. Loaded with the first request: the package takes 77 MB and 0.2 s.
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  type InputRequiredResult,
  type JsonSchemaType,
  type McpHttpHandler,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  assistantError,
  assistantResult,
  promptResult,
  quotedRule,
} from '../../../library/contract/assistant-answers.ts';
import { assistantPrompts, promptSchema } from '../../../library/contract/assistant-prompts.ts';
import { lenientValues } from '../../../library/tools/lenient-values.ts';
import { shortSchema } from '../../../library/tools/assistant-tool.ts';
import { isAbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Account } from '../../rules/accounts/account.ts';
import type { Reply } from './questions.ts';
import { Asking, type Call, type CallContext } from './calls/call.ts';

/** Instructions for the model. */
const instructions =
  'Earshot processes audio and video: noise, voice, loudness, cutting, pauses, fillers, transcripts, captions, ' +
  'mixing. Files come in by create_upload (a person uploads at a page, or PUT) or import_file (a public https link), ' +
  'then tools take their file_id. A tool waits a while and answers with links to its outputs, or with a job_id for ' +
  'get_job. Sound is never sent through this conversation: give people the links. Tools cost credits, 1 credit is 1 ' +
  'US cent (quote; max_credits is a cap; free: true for the free part alone, false for all or nothing); nothing is ' +
  'charged for a job that fails. track: which sound track, by its number or language. keep_encoding: true copies packets in cut_audio, ' +
  'join_audio, remove_silence and remove_fillers. preview_from: the second from ' +
  'which 20 s are previewed, free. The same call again answers the same job; an idempotency_key of its own makes it ' +
  'another. wait: seconds until the call answers in any case (25, at most 40). Files ' +
  `are deleted after a day. ${quotedRule}`;

/** Accepts everything: calls check their own arguments and answer with errors of the catalogue. */
const trusting = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }),
};

export interface McpHandlerDeps {
  readonly calls: readonly Call[];
  readonly version: string;
  readonly onError: (thrown: unknown) => void;
  /** Aborted when the service stops. */
  readonly closing: AbortSignal;
}

/** Answers requests of clients of the protocols of 2025 and of 2026; `authInfo.extra.account` says who asks. */
export function createHandler({ calls, version, onError, closing }: McpHandlerDeps): McpHttpHandler {
  // Built once for all requests, since wrapping the schemas takes 30 ms.
  const registered = calls.map((call) => ({
    call,
    inputSchema: fromJsonSchema<Record<string, unknown>>(shortSchema(call.inputSchema) as JsonSchemaType, trusting),
    outputSchema: fromJsonSchema<object>(call.outputSchema as JsonSchemaType, trusting),
  }));
  const prompts = assistantPrompts(false).map((prompt) => ({
    prompt,
    argsSchema: fromJsonSchema<Record<string, string>>(promptSchema(prompt)),
  }));

  return createMcpHandler(
    ({ authInfo }) => {
      // The dialect gives it with each request.
      const { account, elicit } = (authInfo?.extra ?? {}) as unknown as Asked;
      const server = new McpServer({ name: 'earshot', title: 'Earshot', version }, { instructions });
      for (const { call, inputSchema, outputSchema } of registered) {
        const { name, title, description, annotations } = call;
        server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, (given, asked) => {
          return runCall(call, given, contextOf(asked, account, elicit, closing), { shop: shopOf(asked), onError });
        });
      }
      for (const { prompt, argsSchema } of prompts) {
        const { name, title, description } = prompt;
        server.registerPrompt(name, { title, description, argsSchema }, (given) => promptResult(prompt.text(given)));
      }
      return server;
    },
    { onerror: onError },
  );
}

interface Failing {
  readonly shop: ReturnType<typeof shopOf>;
  readonly onError: (thrown: unknown) => void;
}

async function runCall(
  call: Call,
  given: Record<string, unknown>,
  context: CallContext,
  { shop, onError }: Failing,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const { properties = {} } = call.inputSchema as { readonly properties?: object };
    return assistantResult(await call.run(lenientValues({ ...properties }, given), context));
  } catch (thrown) {
    if (thrown instanceof Asking) return confirmationOf(thrown);
    if (isAbortError(thrown)) throw thrown;
    const error = EarshotError.from(thrown);
    if (error.code === 'internal_error') onError(thrown);
    return shop(error) ?? assistantError(error);
  }
}

/** The keys of the two questions. */
const confirmation = 'confirm';
const purchase = 'buy';

const confirmationForm = {
  type: 'object' as const,
  properties: { start: { type: 'boolean' as const, title: 'Start it', default: true } },
  required: ['start'],
};

const isYes = (reply: NonNullable<Reply>): boolean => reply.action === 'accept' && reply.content?.start === true;

const confirmationOf = ({ question }: Asking): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [confirmation]: inputRequired.elicit({
        message: question.message,
        requestedSchema: confirmationForm,
      }),
    },
  });

/**
 * For an error that says where credits are bought: opens that page for the person, once a call, where the client can.
 * The client makes the call again when the person is back. null: the error is the answer.
 */
function shopOf({ mcpReq }: ServerContext): (error: EarshotError) => InputRequiredResult | null {
  return ({ code, message, details }) => {
    const url = details?.['buyUrl'];
    // Who asks for the free part, or sets a cap, does not want to buy.
    if (code !== 'insufficient_balance' || typeof url !== 'string' || mcpReq.inputResponses?.[purchase] !== undefined)
      return null;
    if (elicitationOf(mcpReq)?.url === undefined) return null;
    return inputRequired({ inputRequests: { [purchase]: inputRequired.elicitUrl({ message, url }) } });
  };
}

/**
 * What the client can ask its person, sent with each request by clients of 2026. Clients of 2025 sent it once: see
 * questions.ts.
 */
interface Elicitation {
  readonly form?: object;
  readonly url?: object;
}
type Envelope = Partial<Record<typeof CLIENT_CAPABILITIES_META_KEY, { readonly elicitation?: Elicitation }>>;

const elicitationOf = ({ envelope }: ServerContext['mcpReq']): Elicitation | undefined =>
  ((envelope ?? {}) as Envelope)[CLIENT_CAPABILITIES_META_KEY]?.elicitation;

/** Who asks; and for clients of 2025 how their person is asked, null: they cannot. */
interface Asked {
  readonly account: Account;
  readonly elicit: ((params: object) => Promise<Reply>) | null;
}

function contextOf(
  { mcpReq }: ServerContext,
  account: Account,
  elicit: Asked['elicit'],
  closing: AbortSignal,
): CallContext {
  const token = mcpReq._meta?.progressToken;
  let last = -1;
  return {
    account,
    signal: AbortSignal.any([mcpReq.signal, closing]),
    progress(fraction, message) {
      // Must increase with every notification.
      if (token === undefined || fraction <= last) return;
      last = fraction;
      void mcpReq
        .notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress: fraction, total: 1, message },
        })
        .catch(() => undefined);
    },
    async ask(question) {
      const answered = mcpReq.inputResponses?.[confirmation] as Reply | undefined;
      if (answered) return isYes(answered) ? 'yes' : 'no';
      const able = elicitationOf(mcpReq);
      if (able === undefined && elicit !== null) {
        const reply = await elicit({ message: question.message, requestedSchema: confirmationForm });
        return reply === null ? 'unable' : isYes(reply) ? 'yes' : 'no';
      }
      // Without a mode it means forms.
      if (able === undefined || (able.form === undefined && able.url !== undefined)) return 'unable';
      throw new Asking(question);
    },
  };
}
