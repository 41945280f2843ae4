// Recognition on a fan-out thread: the networks are loaded once per thread.
import { collectGarbage } from '../../../core/machine/collect-garbage.ts';
import { freeUnusedMemory } from '../../../kernels/free-memory.ts';
import type { FanOutTask } from '../../../core/machine/fan-out.ts';
import { openSpeech } from '../../speech-sound.ts';
import type { PlacedWord } from '../windows/place-words.ts';
import { hearWindow } from './hear-window.ts';
import { readWindows } from './read-windows.ts';
import type { WhisperLayout } from './layout.ts';
import type { EncodedSound } from './decoder.ts';
import { languageWeights } from './spoken-in.ts';
import { loadWhisper, type WhisperNetwork } from './network.ts';
import type { SharedWhisper } from './shared-network.ts';
import { loadVocabulary, type Vocabulary } from './vocabulary.ts';
import type { ListeningWindow } from '../windows/windows.ts';

export interface RecognitionItem {
  readonly layout: WhisperLayout;
  readonly shared: SharedWhisper;
  readonly path: string;
  readonly language: string;
  /** Windows may be in other languages. */
  readonly mixed: boolean;
  readonly verbatim: boolean;
  readonly translate: boolean;
  /** See `RecogniseOptions.vocabulary`. */
  readonly terms: readonly string[];
  readonly windows: readonly ListeningWindow[];
  /** A long recording: releases what the thread kept from earlier stages. */
  readonly long: boolean;
  /** The encoder's output of a window, if already computed. */
  readonly heard: readonly (EncodedSound | null)[];
}

export interface LanguageItem {
  readonly layout: WhisperLayout;
  readonly shared: SharedWhisper;
  readonly path: string;
  readonly window: ListeningWindow;
}

export interface LanguageResult {
  /** Of every language of the model, see `languageWeights`. */
  readonly weights: Readonly<Record<string, number>>;
  readonly heard: EncodedSound;
}

interface Loaded {
  readonly network: WhisperNetwork;
  readonly vocabulary: Vocabulary;
}

const loaded = new Map<string, Promise<Loaded>>();

async function loadAnew(layout: WhisperLayout, shared: SharedWhisper): Promise<Loaded> {
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
    const heard = await hearWindow({ network, sound, cancelled }, window);
    const opened = await network.open([heard], [heard.length / (layout.heads * layout.headWidth)]);
    const weights = languageWeights(opened.opening, network.layout.tokens.languages);
    opened.release();
    transfer(heard.buffer);
    return { weights, heard };
  } finally {
    sound.close();
  }
}

/** The words of some windows, window by window. */
export async function recogniseWindows({ item, cancelled }: FanOutTask<RecognitionItem>): Promise<PlacedWord[][]> {
  const { path, language, mixed, verbatim, translate, terms, windows, heard } = item;
  const { network, vocabulary } = await load(item);
  const sound = openSpeech(path);
  try {
    return await readWindows(
      { network, vocabulary, sound, language, mixed, verbatim, translate, terms, cancelled },
      windows,
      heard,
    );
  } finally {
    sound.close();
    if (item.long) {
      collectGarbage();
      freeUnusedMemory();
    }
  }
}
