declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakEvent {
    readonly type: string;
    /** Milliseconds from the start of the call's sound. */
    readonly audio_position: number;
    /** First character of a word, counted from 1. */
    readonly text_position: number;
    readonly word_length: number;
    /** Of a phoneme; empty for a pause. */
    readonly id?: string;
  }
  export interface EspeakWorker {
    readonly samplerate: number;
    /** @returns 0 when the voice exists */
    set_voice(identifier: string): number;
    set_rate(wordsPerMinute: number): void;
    set_pitch(pitch: number): void;
    list_voices(): {
      readonly identifier: string;
      readonly languages: {
        readonly name: string;
        /** Of the voices for a language, the one with the lowest value is the default. */
        readonly priority: number;
      }[];
    }[];
    synthesize(
      text: string,
      onPart: (samples: ArrayBuffer | null | undefined, events: readonly EspeakEvent[] | null | undefined) => void,
    ): void;
    synthesize_ipa(text: string): { readonly code: number; readonly ipa: string };
  }
  export interface EspeakModule {
    readonly HEAPU8: Uint8Array;
    readonly eSpeakNGWorker: new () => EspeakWorker;
  }
  export default function createEspeak(options: {
    print(line: string): void;
    printErr(line: string): void;
  }): Promise<EspeakModule>;
}
