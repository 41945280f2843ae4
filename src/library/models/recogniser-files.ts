// Which files of a repository make a recogniser, by supported layout.
import { EarshotError } from '../core/errors.ts';

/** Whisper as the onnx-community exports it, and NVIDIA's TDT transducers in onnx-asr's layout. */
export type RecogniserFamily = 'whisper' | 'parakeet';

/** quantized: 8 bits, fastest on a CPU. fp16: half precision. full: as trained. */
export const modelVariants = ['quantized', 'fp16', 'full'] as const;
export type ModelVariant = (typeof modelVariants)[number];

export interface RecogniserFiles {
  readonly family: RecogniserFamily;
  /** Read before any large file is fetched. */
  readonly descriptions: readonly string[];
  readonly networks: readonly string[];
}

const suffixes: Readonly<Record<RecogniserFamily, Readonly<Record<ModelVariant, string>>>> = {
  whisper: { quantized: '_quantized', fp16: '_fp16', full: '' },
  parakeet: { quantized: '.int8', fp16: '.fp16', full: '' },
};

/** Names of a family's networks. */
export const networkNames = (family: RecogniserFamily, variant: ModelVariant): readonly [string, string] =>
  family === 'whisper'
    ? [
        `onnx/encoder_model${suffixes.whisper[variant]}.onnx`,
        `onnx/decoder_model_merged${suffixes.whisper[variant]}.onnx`,
      ]
    : [`encoder-model${suffixes.parakeet[variant]}.onnx`, `decoder_joint-model${suffixes.parakeet[variant]}.onnx`];

const descriptionsOf: Readonly<Record<RecogniserFamily, readonly string[]>> = {
  whisper: ['config.json', 'generation_config.json', 'preprocessor_config.json', 'tokenizer.json'],
  parakeet: ['config.json', 'vocab.txt'],
};

/** Weights over 2 GB are in files beside their graph. */
const besideOf = (network: string, present: ReadonlySet<string>): string[] =>
  [`${network}_data`, `${network}.data`].filter((name) => present.has(name));

/**
 * The files to take from a repository.
 * @param names all its files
 * @param repository for messages
 * @throws EarshotError unsupported_format with the missing files and the available variants
 */
export function recogniserFiles(names: readonly string[], variant: ModelVariant, repository: string): RecogniserFiles {
  const present = new Set(names);
  const family: RecogniserFamily = names.some((name) => name.startsWith('encoder-model')) ? 'parakeet' : 'whisper';
  const networks = networkNames(family, variant);
  const missing = [...descriptionsOf[family], ...networks].filter((name) => !present.has(name));
  if (missing.length > 0) {
    const others = modelVariants.filter(
      (other) => other !== variant && networkNames(family, other).every((name) => present.has(name)),
    );
    throw new EarshotError(
      'unsupported_format',
      `Expected a speech recogniser in ${repository} but it has no ${missing.join(', no ')}`,
      {
        nextAction:
          others.length > 0
            ? `It has the variant ${others.join(' and the variant ')}: add it with --variant ${others[0]}.`
            : 'See docs/models.md for the supported layouts.',
        details: { repository, missing },
      },
    );
  }
  return {
    family,
    descriptions: descriptionsOf[family],
    networks: networks.flatMap((name) => [name, ...besideOf(name, present)]),
  };
}
