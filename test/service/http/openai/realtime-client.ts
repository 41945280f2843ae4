// The official client's realtime sessions, at a service without TLS, which the client would ask for.
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { onTestFinished } from 'vitest';
import type { TestService } from '../../../fixtures/service/service.ts';
import { eventually } from '../../../fixtures/until.ts';
import type { FakeMedia } from '../try/fake-media.ts';
import { createSpeaking } from './said.ts';
import { tone } from './realtime-sound.ts';

export interface RealtimeClient {
  readonly events: RealtimeServerEvent[];
  readonly closed: { code: number; reason: string } | null;
  readonly socket: OpenAIRealtimeWS['socket'];
  send(event: RealtimeClientEvent | Record<string, unknown>): void;
  /** Bytes of sound, in pieces of a tenth of a second of 24 kHz. */
  append(sound: Buffer): void;
  of<Type extends RealtimeServerEvent['type']>(type: Type): Extract<RealtimeServerEvent, { type: Type }>[];
  /** Waits for so many events of a type. */
  heard<Type extends RealtimeServerEvent['type']>(
    type: Type,
    count?: number,
  ): Promise<Extract<RealtimeServerEvent, { type: Type }>[]>;
  types(): string[];
}

const pieceBytes = 4800;

/** @param base "http://127.0.0.1:<port>" */
export async function realtime(base: string, apiKey: string): Promise<RealtimeClient> {
  const { hostname, port } = new URL(base);
  const openai = new OpenAI({ apiKey, baseURL: `${base}/v1` });
  const options = { createConnection: () => connect(Number(port), hostname) };
  const session = new OpenAIRealtimeWS({ intent: 'transcription', options }, openai);
  const events: RealtimeServerEvent[] = [];
  session.on('event', (event) => void events.push(event));
  let failed: Error | null = null;
  session.on('error', (error) => (failed = error));
  const state = { closed: null as RealtimeClient['closed'] };
  session.socket.on('close', (code, reason) => (state.closed = { code, reason: reason.toString() }));
  const of = <Type extends RealtimeServerEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<RealtimeServerEvent, { type: Type }> => event.type === type);
  const client: RealtimeClient = {
    events,
    get closed() {
      return state.closed;
    },
    socket: session.socket,
    send: (event) => session.send(event as RealtimeClientEvent),
    append(sound) {
      for (let at = 0; at < sound.length; at += pieceBytes)
        session.send({
          type: 'input_audio_buffer.append',
          audio: sound.subarray(at, at + pieceBytes).toString('base64'),
        });
    },
    of,
    async heard(type, count = 1) {
      await eventually(() => {
        if (of(type).length < count)
          throw new Error(`${count} of ${type}: ${client.types().join(' ')} ${JSON.stringify(of('error'))}`);
      });
      return of(type);
    },
    types: () => events.map((event) => event.type),
  };
  await eventually(() => {
    if (events.length === 0 && failed === null) throw new Error('Not open yet');
  });
  if (events.length === 0 && failed !== null) throw failed;
  return client;
}

/** The client commits its turns. */
export const manual = (client: RealtimeClient): void =>
  client.send({
    type: 'session.update',
    session: { type: 'transcription', audio: { input: { turn_detection: null } } },
  });
export const commit = (client: RealtimeClient, seconds: number): void => {
  client.append(tone(seconds));
  client.send({ type: 'input_audio_buffer.commit' });
};
/** `createSpeaking`, in which turns of 24 kHz are as long as their sound. */
export function createTurns(): FakeMedia {
  const media = createSpeaking();
  const { check, run } = media;
  const secondsOf = (path = ''): number => (statSync(path).size - 44) / 48_000;
  media.check = async (path, ...rest) =>
    ({ ...(await check(path, ...rest)), durationSeconds: secondsOf(path) }) as Awaited<ReturnType<typeof check>>;
  media.run = async (request) => {
    const processedSeconds = secondsOf(request.inputs['file_id']?.[0]?.path);
    return { ...(await run(request)), processedSeconds };
  };
  return media;
}

/** A session of an account of its own; gone after the test. */
export async function openSession(service: TestService, credits = 1000) {
  const { key, account } = await service.account(credits);
  const client = await realtime(service.base, key);
  onTestFinished(() => client.socket.terminate());
  const balance = async (): Promise<number> => (await service.operator.account(account.id)).balance;
  return { client, key, account, balance };
}

/** Files that the account has. */
export async function keptFiles({ stores }: TestService, accountId: string): Promise<readonly unknown[]> {
  const query = "select id from files where account_id = $1 and status <> 'deleted'";
  return (await stores.database.query(query, [accountId])).rows;
}
