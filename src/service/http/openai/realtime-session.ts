import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { badInput, badValue } from '../../../library/core/checks/schema.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { type LiveVoices, voiceStepSeconds, type VoiceTrack } from '../../../library/contract/live-voices.ts';
import { toJson } from './answers.ts';
import { type SessionSettings, shown, turnSettingsOf, updated, usualSettings } from './session-settings.ts';
import { SoundBuffer } from './sound-buffer.ts';
import { type FoundTurn, TurnFinder } from './turn-finder.ts';
import { type TranscribeTurn, type Turn, Turns } from './turns.ts';

export interface SessionDeps {
  /** Sends an event to the client, which gets its `event_id` there. */
  readonly say: (event: { readonly type: string } & Record<string, unknown>) => void;
  /** An error in the shape of OpenAI's API. @param eventId of the client's event that it is about */
  readonly sayError: (thrown: unknown, eventId: string | null) => void;
  readonly errorOf: (thrown: unknown) => object;
  readonly transcribe: TranscribeTurn;
  readonly voices: LiveVoices;
  /** Most sound, bytes, that waits for its commit, and that waits to be transcribed. */
  readonly bufferBytes: number;
  /** Most sound of one append. */
  readonly appendBytes: number;
  readonly expiresAt: Date;
  /** null: the usual one. */
  readonly model: string | null;
}

/** A shorter turn has no word. */
const leastSeconds = 0.1;
/** A speech without a pause is divided into turns of this length. */
const longestTurnSeconds = 60;

/**
 * Sound in which no one speaks costs nothing: it may come this much faster than it is spoken, after some seconds
 * at once.
 */
const fastest = 8;
const atOnceSeconds = 60;

const newId = (kind: string): string => `${kind}_${randomBytes(12).toString('base64url')}`;
export const newEventId = (): string => newId('event');

/** An error with a code that OpenAI's API alone has. */
const refused = (code: string, message: string, nextAction: string, field?: string): EarshotError =>
  new EarshotError('bad_request', message, {
    nextAction,
    details: { realtimeCode: code, ...(field === undefined ? {} : { field }) },
  });

/** A client's event, of which only its type is known. */
type ClientEvent = Readonly<Record<string, unknown>>;

function readEvent(text: string): ClientEvent {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    throw refused('invalid_json', 'Expected an event as JSON but received other text', 'Send JSON objects.');
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) throw badValue('event', 'an object', event);
  return event as ClientEvent;
}

const longestEventId = 512;
const eventIdOf = ({ event_id: id }: ClientEvent): string | null =>
  typeof id === 'string' ? id.slice(0, longestEventId) : null;

/** A transcription session: events in, events out. Its events must come one after the other. */
export class RealtimeSession {
  readonly turns: Turns;
  private readonly deps: SessionDeps;
  private readonly about: { readonly id: string; readonly expires_at: number };
  private readonly openedAt = performance.now();
  private settings: SessionSettings;
  private readonly buffer = new SoundBuffer();
  /** Of the first byte in the present form: its position, and the session's time, seconds. */
  private origin = { at: 0, seconds: 0 };
  private listening: { readonly track: VoiceTrack; readonly finder: TurnFinder; readonly from: number } | null = null;
  /** Of the turn in which someone speaks now. */
  private itemId: string | null = null;
  private previousItemId: string | null = null;

  constructor(deps: SessionDeps) {
    this.deps = deps;
    this.about = { id: newId('sess'), expires_at: Math.floor(deps.expiresAt.getTime() / 1000) };
    this.settings = usualSettings(deps.model ?? undefined);
    this.turns = new Turns(deps.transcribe, this.turnListener());
    this.listen();
    deps.say({ type: 'session.created', session: shown(this.settings, this.about, false) });
  }

  close(): void {
    this.listening?.track.close();
    this.listening = null;
    this.turns.clear();
  }

  /** What is wrong with an event is told to the client, and changes nothing. */
  async take(text: string): Promise<void> {
    let eventId: string | null = null;
    try {
      const event = readEvent(text);
      eventId = eventIdOf(event);
      await this.handle(event);
    } catch (thrown) {
      this.deps.sayError(thrown, eventId);
    }
  }

  private async handle(event: ClientEvent): Promise<void> {
    const { type } = event;
    switch (type) {
      case 'input_audio_buffer.append':
        return this.append(event['audio']);
      case 'input_audio_buffer.commit':
        return this.commitAll();
      case 'input_audio_buffer.clear':
        this.clear();
        return this.deps.say({ type: 'input_audio_buffer.cleared' });
      case 'session.update':
      case 'transcription_session.update':
        return this.update(event['session'], type === 'transcription_session.update');
      default:
        throw badValue(
          'type',
          'session.update, or input_audio_buffer.append, .commit or .clear, as transcription sessions have them,',
          type,
        );
    }
  }

  private update(session: unknown, isOlder: boolean): void {
    const next = updated(this.settings, session, isOlder);
    const { form, detection } = this.settings;
    if (next.form !== form) {
      if (this.buffer.size > 0 && (this.listening === null || this.itemId !== null))
        throw refused(
          'input_audio_buffer_not_empty',
          'The format cannot change while sound waits for its commit',
          'Commit the sound, or clear it, before the format changes.',
          isOlder ? 'session.input_audio_format' : 'session.audio.input.format',
        );
      this.origin = { at: this.buffer.to, seconds: this.secondsAt(this.buffer.to) };
      this.clear();
    }
    this.settings = next;
    if (next.form !== form || JSON.stringify(next.detection) !== JSON.stringify(detection)) this.listen();
    this.deps.say({
      type: isOlder ? 'transcription_session.updated' : 'session.updated',
      session: shown(next, this.about, isOlder),
    });
  }

  /** Listens from here on, where turns are to be found. */
  private listen(): void {
    this.listening?.track.close();
    this.itemId = null;
    const { detection, form } = this.settings;
    const longest = Math.min(longestTurnSeconds, this.deps.bufferBytes / 2 / form.bytesPerFrame / form.sampleRate);
    this.listening =
      detection === null
        ? null
        : {
            track: this.deps.voices.open(form.sampleRate),
            finder: new TurnFinder(turnSettingsOf(detection), longest),
            from: this.buffer.to,
          };
  }

  private async append(audio: unknown): Promise<void> {
    const { bufferBytes, appendBytes } = this.deps;
    const { form } = this.settings;
    if (typeof audio !== 'string') throw badValue('audio', 'sound as base64', audio);
    const bytes = Buffer.from(audio, 'base64');
    if (bytes.length !== Math.floor((audio.replace(/={1,2}$/, '').length * 3) / 4))
      throw badInput('audio', 'sound as base64', 'other text');
    if (bytes.length > appendBytes)
      throw badInput('audio', `at most ${appendBytes} bytes of sound in one event`, `${bytes.length}`);
    if (bytes.length % form.bytesPerFrame !== 0)
      throw badInput('audio', 'whole samples of 16 bits', `${bytes.length} bytes`);
    if (bytes.length === 0) return;
    const { listening } = this;
    if (listening === null && this.buffer.size + bytes.length > bufferBytes)
      throw refused(
        'input_audio_buffer_full',
        `At most ${bufferBytes} bytes of sound can wait for a commit`,
        'Commit what was sent, and send the sound again.',
        'audio',
      );
    this.buffer.push(bytes);
    if (listening === null) return;
    const { track, finder } = listening;
    const probabilities = await track.hear(form.samplesOf(bytes)).catch((thrown: unknown) => {
      // It would not be said again for each of the next.
      this.settings = { ...this.settings, detection: null };
      this.listen();
      throw thrown;
    });
    for (const probability of probabilities) for (const found of finder.push(probability)) this.found(found);
    this.buffer.drop(this.byteAt(finder.neededFrom));
    const aheadSeconds = (this.secondsAt(this.buffer.to) - atOnceSeconds) / fastest;
    const waitMs = 1000 * aheadSeconds - (performance.now() - this.openedAt);
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
  }

  private found(turn: FoundTurn): void {
    const from = this.byteAt(turn.fromStep);
    if (turn.kind === 'started') {
      this.itemId = newId('item');
      this.deps.say({
        type: 'input_audio_buffer.speech_started',
        audio_start_ms: Math.round(1000 * this.secondsAt(from)),
        item_id: this.itemId,
      });
      return;
    }
    const itemId = this.itemId ?? newId('item');
    this.itemId = null;
    const to = this.byteAt(turn.toStep);
    this.deps.say({
      type: 'input_audio_buffer.speech_stopped',
      audio_end_ms: Math.round(1000 * this.secondsAt(to)),
      item_id: itemId,
    });
    this.commit(from, to, itemId);
  }

  private commitAll(): void {
    const { from, to } = this.buffer;
    const { form } = this.settings;
    const seconds = (to - from) / form.bytesPerFrame / form.sampleRate;
    if (seconds < leastSeconds)
      throw refused(
        'input_audio_buffer_commit_empty',
        `Expected at least ${1000 * leastSeconds} ms of sound in the buffer but it has ${Math.round(1000 * seconds)} ms`,
        'Append sound before the commit.',
      );
    const itemId = this.itemId ?? newId('item');
    this.commit(from, to, itemId);
    this.clear();
  }

  private commit(from: number, to: number, itemId: string): void {
    const { say } = this.deps;
    const previous = this.previousItemId;
    this.previousItemId = itemId;
    const sound = this.buffer.take(from, to);
    this.buffer.drop(to);
    const item = {
      id: itemId,
      type: 'message',
      object: 'realtime.item',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_audio', transcript: null }],
    };
    say({ type: 'input_audio_buffer.committed', item_id: itemId, previous_item_id: previous });
    say({ type: 'conversation.item.added', item, previous_item_id: previous });
    say({ type: 'conversation.item.done', item, previous_item_id: previous });
    const { form, transcription } = this.settings;
    this.turns.push({ itemId, sound, settings: { form, transcription } });
  }

  private clear(): void {
    this.buffer.drop(this.buffer.to);
    this.itemId = null;
    this.listening?.finder.reset();
  }

  private turnListener() {
    const about = ({ itemId }: Turn, kind: string) => ({
      type: `conversation.item.input_audio_transcription.${kind}`,
      item_id: itemId,
      content_index: 0,
    });
    const { say, errorOf } = this.deps;
    return {
      text: (turn: Turn, delta: string) => say({ ...about(turn, 'delta'), delta }),
      done: (turn: Turn, transcript: Parameters<typeof toJson>[0]) =>
        say({
          ...about(turn, 'completed'),
          transcript: toJson(transcript).text,
          usage: { type: 'duration', seconds: transcript.durationSeconds },
        }),
      failed: (turn: Turn, thrown: unknown) => say({ ...about(turn, 'failed'), error: errorOf(thrown) }),
    };
  }

  private byteAt(step: number): number {
    const { form } = this.settings;
    const at = (this.listening?.from ?? 0) + step * Math.round(voiceStepSeconds * form.sampleRate) * form.bytesPerFrame;
    return Math.min(at, this.buffer.to);
  }

  private secondsAt(byte: number): number {
    const { form } = this.settings;
    return this.origin.seconds + (byte - this.origin.at) / form.bytesPerFrame / form.sampleRate;
  }
}
