import type { WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isAbortError } from '../../../library/core/abort.ts';
import { badInput, badValue } from '../../../library/core/checks/schema.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { bearerToken } from '../interface/bearer.ts';
import { accountOf } from '../server/context.ts';
import { forClient } from '../server/errors.ts';
import { createSocketKeeper } from '../server/socket-keeper.ts';
import { acceptWebsockets, noHandshake, requireSocketRoom } from '../server/websockets.ts';
import type { OpenaiDeps } from './deps.ts';
import { errorAnswer } from './errors.ts';
import { requireModel } from './models.ts';
import { newEventId, RealtimeSession } from './realtime-session.ts';
import { runTurn } from './turn-run.ts';

export const realtimePath = '/v1/realtime';

/** Of an event besides its sound. */
const eventBytes = 65_536;
/** Messages that wait to be read; more are left to the connection. */
const mostWaitingBytes = 262_144;
/** What a message takes besides its text, by Node's heap: empty ones count as well. */
const messageBytes = 256;
/** Unsent events; while there are more, none of the client's are read. */
const mostUnsentBytes = 1_048_576;
/** For turns that are being transcribed when a session is over. */
const farewellMs = 30_000;

const subprotocol = 'realtime';
const keyProtocol = 'openai-insecure-api-key.';

/** Browsers cannot send the header Authorization with a handshake: the key is a subprotocol. */
export function realtimeToken(request: FastifyRequest): string | null {
  const offered = request.headers['sec-websocket-protocol']?.split(',') ?? [];
  const [given] = offered.map((each) => each.trim()).filter((each) => each.startsWith(keyProtocol));
  return bearerToken(request) ?? given?.slice(keyProtocol.length) ?? null;
}

type Query = Readonly<Record<string, unknown>>;

/** @returns the model of the address; null: none */
function modelOf({ intent, model, call_id: call }: Query): string | null {
  if (call !== undefined) throw badInput('call_id', 'intent=transcription or a model', 'a call');
  if (intent !== undefined && intent !== 'transcription') throw badValue('intent', 'transcription', intent);
  if (model === undefined) return null;
  requireModel(model);
  return model as string;
}

/** GET /v1/realtime as a websocket: a transcription session of OpenAI's realtime API. */
export async function realtimeRoutes(
  app: FastifyInstance,
  deps: Required<OpenaiDeps>,
  closing: AbortSignal,
): Promise<void> {
  const { realtimeSessions, accountRealtimeSessions, realtimeAppendBytes } = deps.config;
  const keeper = createSocketKeeper();
  await acceptWebsockets(app, {
    keeper,
    maxPayload: Math.ceil(realtimeAppendBytes / 3) * 4 + eventBytes,
    // Never the key, which the answer would repeat.
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  app.route({
    method: 'GET',
    url: realtimePath,
    config: { access: 'account' },
    exposeHeadRoute: false,
    // Errors are sent as HTTP responses, before the handshake.
    preHandler: (request, _reply, done) => {
      modelOf(request.query as Query);
      requireSocketRoom(keeper.count(accountOf(request).id), accountRealtimeSessions, 'of one account');
      requireSocketRoom(keeper.count(), realtimeSessions, 'in all');
      done();
    },
    handler: () => {
      throw noHandshake(`Connect with a websocket to ${realtimePath}?intent=transcription.`);
    },
    wsHandler: (socket, request) => {
      request.upgraded = true;
      // Pings and the session's own bounds end it.
      request.raw.socket.setTimeout(0);
      keeper.hold(socket, accountOf(request).id);
      serve(socket, request, deps, closing);
    },
  });
}

const normal = 1000;
const policyViolation = 1008;

function serve(
  socket: WebSocket,
  request: FastifyRequest,
  { service, config, liveVoices }: Required<OpenaiDeps>,
  closing: AbortSignal,
): void {
  const account = accountOf(request);
  const token = realtimeToken(request) ?? '';
  const gone = new AbortController();
  const stopped = AbortSignal.any([gone.signal, closing]);

  let sent: Promise<void> = Promise.resolve();
  const say = (event: object): void => {
    if (socket.readyState !== socket.OPEN) return;
    sent = new Promise((resolve) => socket.send(JSON.stringify({ event_id: newEventId(), ...event }), () => resolve()));
  };
  const errorOf = (thrown: unknown) => {
    const error = EarshotError.from(thrown);
    if (error.code === 'internal_error' && !isAbortError(thrown))
      request.log.warn({ err: thrown }, 'a realtime session failed');
    const { body } = errorAnswer(forClient(error, request.id));
    const code = error.details?.['realtimeCode'];
    return { ...body.error, ...(typeof code === 'string' ? { code } : {}) };
  };
  const sayError = (thrown: unknown, eventId: string | null): void =>
    say({ type: 'error', error: { ...errorOf(thrown), event_id: eventId } });

  const session = new RealtimeSession({
    say,
    sayError,
    errorOf,
    voices: liveVoices,
    bufferBytes: config.realtimeBufferBytes,
    appendBytes: config.realtimeAppendBytes,
    expiresAt: new Date(Date.now() + 1000 * config.realtimeSeconds),
    model: modelOf(request.query as Query),
    async transcribe(order, onText) {
      // A key may have been taken back since the handshake.
      await service.access.byBearer(token).catch((thrown: unknown) => {
        void finish(thrown, policyViolation, 'The API key is no longer valid');
        throw thrown;
      });
      return runTurn(service, account, order, stopped, onText);
    },
  });

  let isOver = false;
  /** No more is read; what is being transcribed is still told. */
  async function finish(error: unknown, code: number, reason: string): Promise<void> {
    if (isOver) return;
    isOver = true;
    sayError(error, null);
    const late = setTimeout(() => socket.close(code, reason), farewellMs);
    // In the next turn of the loop: the failed turn is told first.
    await new Promise((resolve) => setImmediate(resolve));
    await session.turns.idle();
    clearTimeout(late);
    socket.close(code, reason);
  }
  const over = (code: string, message: string): void => {
    const error = new EarshotError('bad_request', message, {
      nextAction: 'Connect again.',
      details: { realtimeCode: code },
    });
    void finish(error, normal, message);
  };
  const { realtimeSeconds, realtimeIdleSeconds } = config;
  const longest = setTimeout(
    () => over('session_expired', `A session lasts ${realtimeSeconds} s at most`),
    1000 * realtimeSeconds,
  );
  const idle = setTimeout(() => {
    // While its turns wait, its events may be left unread.
    if (session.turns.isBusy) idle.refresh();
    else over('session_idle', `The session had no event for ${realtimeIdleSeconds} s`);
  }, 1000 * realtimeIdleSeconds);

  const read = reader(socket, async (text) => {
    if (isOver || stopped.aborted) return;
    idle.refresh();
    if (text === null) sayError(badInput('event', 'JSON as a text message', 'a binary message'), null);
    else await session.take(text);
    await session.turns.room(config.realtimeBufferBytes);
    if (socket.bufferedAmount > mostUnsentBytes) await sent;
  });
  socket.on('message', read);
  socket.once('close', () => {
    clearTimeout(longest);
    clearTimeout(idle);
    gone.abort();
    session.close();
  });
}

/** Hands messages on one after the other. While too much waits, the connection is not read. */
export function reader(
  socket: Pick<WebSocket, 'isPaused' | 'pause' | 'resume'>,
  take: (text: string | null) => Promise<void>,
): (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean) => void {
  const waiting: { readonly data: Buffer; readonly isBinary: boolean }[] = [];
  let [bytes, isRunning] = [0, false];
  const run = async (): Promise<void> => {
    isRunning = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { data, isBinary } = next;
      await take(isBinary ? null : data.toString());
      bytes -= data.length + messageBytes;
      if (bytes <= mostWaitingBytes && socket.isPaused) socket.resume();
    }
    isRunning = false;
  };
  return (data, isBinary) => {
    // One buffer, as long as no other type is asked for.
    waiting.push({ data: data as Buffer, isBinary });
    bytes += (data as Buffer).length + messageBytes;
    if (bytes > mostWaitingBytes && !socket.isPaused) socket.pause();
    if (!isRunning) void run();
  };
}
