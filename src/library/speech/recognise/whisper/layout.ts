// Reads the three JSON files of a Whisper, in the layout of the hub's onnx-community.
import { readFile } from 'node:fs/promises';
import { EarshotError } from '../../../core/errors/errors.ts';
import type { RecogniserModel } from '../../../models/recognisers.ts';

/** Everything that differs between Whispers. Plain data, so that it can be sent to threads. */
export interface WhisperLayout {
  readonly id: string;
  readonly title: string;
  /** Absolute paths. */
  readonly encoderPath: string;
  readonly decoderPath: string;
  readonly tokenizerPath: string;
  /** Total size of all files. */
  readonly bytes: number;
  /** Mel bands: 80, since large-v3 128. */
  readonly bands: number;
  /** Frames of a window, 100 per second. */
  readonly frames: number;
  readonly layers: number;
  readonly heads: number;
  readonly headWidth: number;
  /** Width of the decoder's feed-forward layers. */
  readonly feedWidth: number;
  /** null where the settings do not say it: then ONNX Runtime runs the encoder. */
  readonly encoder: { readonly layers: number; readonly heads: number; readonly feedWidth: number } | null;
  /** OpenAI's network: GELU, inputs not scaled. */
  readonly isUsual: boolean;
  readonly vocabularySize: number;
  /** The longest sequence of tokens, including the prompt. */
  readonly mostTokens: number;
  /** [layer, head] of the cross attentions that follow the sound. */
  readonly alignmentHeads: readonly (readonly [number, number])[];
  readonly tokens: SpecialTokens;
}

export interface SpecialTokens {
  readonly end: number;
  readonly start: number;
  /** null in English-only models. */
  readonly transcribe: number | null;
  /** Translation to English; null where the model has not learned it. */
  readonly translate: number | null;
  readonly previous: number;
  readonly noTimestamps: number;
  /** `<|0.00|>`; each following one is 0.02 s later. */
  readonly firstTimestamp: number;
  /** The token for no speech. */
  readonly noSpeech: number;
  readonly mostInitialTimestamp: number;
  readonly suppressed: readonly number[];
  readonly suppressedFirst: readonly number[];
  /** By code ("en"); empty in English-only models. */
  readonly languages: ReadonlyMap<string, number>;
}

type Json = Readonly<Record<string, unknown>>;

async function readJson(model: RecogniserModel, name: string): Promise<Json> {
  try {
    return JSON.parse(await readFile(model.path(name), 'utf8')) as Json;
  } catch (cause) {
    throw unsuitable(model, `${name} cannot be read`, cause);
  }
}

function unsuitable({ id }: RecogniserModel, why: string, cause?: unknown): EarshotError {
  return new EarshotError(
    'tool_unavailable',
    `Expected ${id} to be a Whisper in the layout of the hub's onnx-community but ${why}`,
    { nextAction: 'Use whisper-base, or another model in that layout.', details: { model: id }, cause },
  );
}

/** @throws EarshotError tool_unavailable when it is not a Whisper or its files are incomplete */
export async function readLayout(model: RecogniserModel): Promise<WhisperLayout> {
  if (model.family !== 'whisper') throw unsuitable(model, `it is a ${model.family}`);
  const [config, generation, features] = (await Promise.all(
    ['config.json', 'generation_config.json', 'preprocessor_config.json'].map((name) => readJson(model, name)),
  )) as [Json, Json, Json];
  const number = (value: unknown, what: string): number => {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw unsuitable(model, `its settings lack ${what}`);
  };
  const layers = number(config['decoder_layers'], 'decoder_layers');
  const heads = number(config['decoder_attention_heads'], 'decoder_attention_heads');
  const languages = Object.entries((generation['lang_to_id'] ?? {}) as Record<string, number>);
  const tasks = (generation['task_to_id'] ?? {}) as Record<string, number>;
  const noTimestamps = number(generation['no_timestamps_token_id'], 'no_timestamps_token_id');
  const tokenList = (value: unknown): number[] => (Array.isArray(value) ? (value as number[]) : []);
  return {
    id: model.id,
    title: model.title,
    encoderPath: model.encoder,
    decoderPath: model.decoder,
    tokenizerPath: model.path('tokenizer.json'),
    bytes: model.bytes,
    bands: number(features['feature_size'] ?? config['num_mel_bins'], 'feature_size'),
    frames: 2 * number(config['max_source_positions'], 'max_source_positions'),
    layers,
    heads,
    headWidth: number(config['d_model'], 'd_model') / heads,
    feedWidth: number(config['decoder_ffn_dim'], 'decoder_ffn_dim'),
    encoder: encoderOf(config),
    isUsual: (config['activation_function'] ?? 'gelu') === 'gelu' && config['scale_embedding'] !== true,
    vocabularySize: number(config['vocab_size'], 'vocab_size'),
    mostTokens: number(config['max_target_positions'], 'max_target_positions'),
    alignmentHeads: alignmentHeads(generation['alignment_heads'], layers, heads),
    tokens: {
      end: number(generation['eos_token_id'] ?? config['eos_token_id'], 'eos_token_id'),
      start: number(generation['decoder_start_token_id'] ?? config['decoder_start_token_id'], 'decoder_start_token_id'),
      transcribe: tasks['transcribe'] ?? null,
      translate: tasks['translate'] ?? null,
      // In every Whisper these four are consecutive: previous text, no speech, no timestamps, <|0.00|>.
      previous:
        typeof generation['prev_sot_token_id'] === 'number' ? generation['prev_sot_token_id'] : noTimestamps - 2,
      noSpeech: noTimestamps - 1,
      noTimestamps,
      firstTimestamp: noTimestamps + 1,
      mostInitialTimestamp: (generation['max_initial_timestamp_index'] as number | undefined) ?? 50,
      suppressed: tokenList(generation['suppress_tokens']),
      suppressedFirst: tokenList(generation['begin_suppress_tokens']),
      languages: new Map(languages.map(([name, id]) => [name.replaceAll(/[<|>]/g, ''), id])),
    },
  };
}

function encoderOf(config: Json): WhisperLayout['encoder'] {
  const [layers, heads, feedWidth] = ['encoder_layers', 'encoder_attention_heads', 'encoder_ffn_dim'].map(
    (name) => config[name],
  );
  return typeof layers === 'number' && typeof heads === 'number' && typeof feedWidth === 'number'
    ? { layers, heads, feedWidth }
    : null;
}

/** By default all heads of the upper half follow the sound well enough, as in OpenAI's code. */
function alignmentHeads(value: unknown, layers: number, heads: number): [number, number][] {
  if (Array.isArray(value) && value.length > 0) return value as [number, number][];
  const upper = Array.from({ length: layers - Math.floor(layers / 2) }, (_, index) => Math.floor(layers / 2) + index);
  return upper.flatMap((layer) => Array.from({ length: heads }, (_, head): [number, number] => [layer, head]));
}
