import type { Transcript } from '../../../library/contract/transcript.ts';
import { optionsOf, type SessionSettings } from './session-settings.ts';
import { waveFile } from './sound-form.ts';
import type { TurnOrder } from './turn-run.ts';

/** A committed turn. */
export interface Turn {
  readonly itemId: string;
  readonly sound: Buffer;
  readonly settings: Pick<SessionSettings, 'form' | 'transcription'>;
}

/** Transcribes one turn; see `runTurn`. */
export type TranscribeTurn = (order: TurnOrder, onText: (text: string) => void) => Promise<Transcript>;

/** Who is told of turns. */
export interface TurnListener {
  text(turn: Turn, text: string): void;
  done(turn: Turn, transcript: Transcript): void;
  failed(turn: Turn, thrown: unknown): void;
}

/**
 * A session's turns, transcribed one after the other, so that each knows what those before it have cost: a session
 * costs what one recording of its transcribed turns costs.
 */
export class Turns {
  private readonly transcribe: TranscribeTurn;
  private readonly listener: TurnListener;
  private readonly waiting: Turn[] = [];
  private running: Promise<void> | null = null;
  private billedSeconds = 0;
  private bytes = 0;
  private wake: () => void = () => undefined;

  constructor(transcribe: TranscribeTurn, listener: TurnListener) {
    this.transcribe = transcribe;
    this.listener = listener;
  }

  push(turn: Turn): void {
    this.waiting.push(turn);
    this.bytes += turn.sound.length;
    this.running ??= this.run().finally(() => (this.running = null));
  }

  /** Resolves once less than `mostBytes` wait or run. */
  async room(mostBytes: number): Promise<void> {
    while (this.bytes > mostBytes) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  get isBusy(): boolean {
    return this.running !== null;
  }

  /** Resolves when none is left. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** Forgets those that wait. */
  clear(): void {
    for (const { sound } of this.waiting.splice(0)) this.bytes -= sound.length;
    this.wake();
  }

  private async run(): Promise<void> {
    for (let turn = this.waiting.shift(); turn !== undefined; turn = this.waiting.shift()) {
      await this.one(turn);
      this.bytes -= turn.sound.length;
      this.wake();
    }
  }

  private async one(turn: Turn): Promise<void> {
    const { sound, settings } = turn;
    const { form } = settings;
    try {
      const order = {
        wave: waveFile(form, sound),
        options: optionsOf(settings.transcription),
        billedSeconds: this.billedSeconds,
      };
      const transcript = await this.transcribe(order, (text) => this.listener.text(turn, text));
      this.billedSeconds += sound.length / form.bytesPerFrame / form.sampleRate;
      this.listener.done(turn, transcript);
    } catch (thrown) {
      this.listener.failed(turn, thrown);
    }
  }
}
