// What a tool's page gives to the script that shows chosen sounds before a run.
import type { BenchData } from '../bench-data.ts';

/** A chosen sound. */
export interface Chosen {
  readonly name: string;
  /** null: it is with the service. */
  readonly file: File | null;
  /** With the service; null: it is not there, or only on its way. */
  readonly kept: { readonly url: string; readonly bytes: number; readonly peaks: string | null } | null;
}

/** A tool, its address at the free API, and its options. */
export interface Instead {
  readonly tool: string;
  readonly action: string;
  readonly options: ReadonlyMap<string, unknown>;
}

export interface Look {
  readonly form: HTMLFormElement;
  /** Of the page. */
  readonly data: BenchData;
  /** In the order of the tool's inputs. */
  readonly sounds: readonly Chosen[];
  /** What is run in place of the tool; null: the tool. */
  readonly instead: { value: Instead | null };
  /** Asks for the price of it. */
  ask(): unknown;
}

/** Decoding takes 8 bytes a sample and channel of memory. */
const [mostBytes, mostSeconds] = [60_000_000, 20 * 60];

/** The sound of a file; null: the browser cannot decode it, or it is too long. */
export async function decoded({ file, kept }: Omit<Chosen, 'name'>): Promise<AudioBuffer | null> {
  if ((file?.size ?? kept?.bytes ?? Infinity) > mostBytes) return null;
  try {
    const blob = file ?? (await (await fetch(kept?.url ?? '')).blob());
    const found = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(await blob.arrayBuffer());
    return found.duration > mostSeconds ? null : found;
  } catch {
    return null;
  }
}

export const planesOf = (sound: AudioBuffer): readonly Float32Array[] =>
  Array.from({ length: sound.numberOfChannels }, (_, channel) => sound.getChannelData(channel));
