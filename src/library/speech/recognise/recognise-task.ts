// Recognition on a fan-out thread: the networks are loaded once per thread.
import { collectGarbage } from '../../core/collect-garbage.ts';
import { freeUnusedMemory } from '../../kernels/free-memory.ts';
import type { FanOutTask } from '../../core/fan-out.ts';
import { openSpeech } from '../speech-sound.ts';
import type { PlacedWord } from './place-words.ts';
import { hear, readWindows } from './read-windows.ts';
import type { WhisperLayout } from './whisper/layout.ts';
import type { Heard } from './whisper/decoder.ts';
import { loadWhisper, type WhisperNetwork } from './whisper/network.ts';
import type { SharedNetwork } from './whisper/shared-network.ts';
import { loadVocabulary, type Vocabulary } from './whisper/vocabulary.ts';
import type { ListeningWindow } from './windows.ts';

export interface RecognitionItem {
  readonly layout: WhisperLayout;
  readonly shared: SharedNetwork;
  readonly path: string;
  readonly language: string;
  readonly verbatim: boolean;
  readonly translate: boolean;
  readonly windows: readonly ListeningWindow[];
  /** A long recording: releases what the thread kept from earlier stages. */
  readonly long: boolean;
  /** The encoder's output of a window, if already computed. */
  readonly heard: readonly (Heard | null)[];
}

export interface LanguageItem {
  readonly layout: WhisperLayout;
  readonly shared: SharedNetwork;
  readonly path: string;
  readonly window: ListeningWindow;
}

export interface LanguageResult {
  /** For every language of the model. */
  readonly probabilities: Readonly<Record<string, number>>;
  readonly heard: Heard;
}

interface Loaded {
  readonly network: WhisperNetwork;
  readonly vocabulary: Vocabulary;
}

const loaded = new Map<string, Promise<Loaded>>();

async function loadAnew(layout: WhisperLayout, shared: SharedNetwork): Promise<Loaded> {
  return { network: await loadWhisper(layout, shared), vocabulary: await loadVocabulary(layout.tokenizerPath) };
}

function load({ layout, shared }: Pick<RecognitionItem, 'layout' | 'shared'>): Promise<Loaded> {
  const known = loaded.get(layout.encoderPath);
  if (known) return known;
  const made = loadAnew(layout, shared);
  loaded.set(layout.encoderPath, made);
  return made;
}

/** The language of one window. */
export async function detectLanguage({ item, cancelled, transfer }: FanOutTask<LanguageItem>): Promise<LanguageResult> {
  const { layout, path, window } = item;
  const { network } = await load(item);
  const sound = openSpeech(path);
  try {
    const heard = await hear({ network, sound, cancelled }, window);
    const opened = await network.open([heard], [layout.frames / 2]);
    const { languages } = network.layout.tokens;
    const logits = [...languages].map(([code, token]): [string, number] => [code, opened.opening[token] ?? -Infinity]);
    opened.release();
    const most = Math.max(...logits.map(([, logit]) => logit));
    const total = logits.reduce((sum, [, logit]) => sum + Math.exp(logit - most), 0);
    transfer(heard.buffer);
    return {
      probabilities: Object.fromEntries(logits.map(([code, logit]) => [code, Math.exp(logit - most) / total])),
      heard,
    };
  } finally {
    sound.close();
  }
}

/** The words of some windows, window by window. */
export async function recogniseWindows({ item, cancelled }: FanOutTask<RecognitionItem>): Promise<PlacedWord[][]> {
  const { path, language, verbatim, translate, windows, heard } = item;
  const { network, vocabulary } = await load(item);
  const sound = openSpeech(path);
  try {
    return await readWindows({ network, vocabulary, sound, language, verbatim, translate, cancelled }, windows, heard);
  } finally {
    sound.close();
    if (item.long) {
      collectGarbage();
      freeUnusedMemory();
    }
  }
}
