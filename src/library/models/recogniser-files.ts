// Which files of a repository make a recogniser, by supported layout.
import { EarshotError } from '../core/errors/errors.ts';

/** quantized: 8 bits, fastest on a CPU. fp16: half precision. full: as trained. */
export const modelVariants = ['quantized', 'fp16', 'full'] as const;
export type ModelVariant = (typeof modelVariants)[number];

export interface RecogniserFiles {
  readonly family: RecogniserFamily;
  /** Read before any large file is fetched. */
  readonly descriptions: readonly string[];
  readonly networks: readonly string[];
}

/** How a family's repositories look. */
interface FamilyFiles {
  /** In config.json. */
  readonly modelType: string;
  /** Are these names of a repository its? */
  isFamilyOf(names: readonly string[]): boolean;
  readonly descriptions: readonly string[];
  /** Encoder and decoder. */
  networks(variant: ModelVariant): readonly [string, string];
  /**
   * Number of languages; 0: unknown.
   * @param description parses one of its descriptions
   * @param listed that the model's page lists
   * @throws EarshotError unsupported_format for a model that cannot be used
   */
  languages(description: Description, listed: number, repository: string): number;
}

type Description = (name: string) => Readonly<Record<string, unknown>>;

const named = (suffixes: Readonly<Record<ModelVariant, string>>, ...parts: readonly [string, string]) => {
  const [encoder, decoder] = parts;
  return (variant: ModelVariant): readonly [string, string] => [
    `${encoder}${suffixes[variant]}.onnx`,
    `${decoder}${suffixes[variant]}.onnx`,
  ];
};

/** What there is; the first that fits is taken. */
export const recogniserFamilies = {
  /** NVIDIA's TDT transducers in onnx-asr's layout. */
  parakeet: {
    modelType: 'nemo-conformer-tdt',
    isFamilyOf: (names) => names.some((name) => name.startsWith('encoder-model')),
    descriptions: ['config.json', 'vocab.txt'],
    networks: named({ quantized: '.int8', fp16: '.fp16', full: '' }, 'encoder-model', 'decoder_joint-model'),
    languages: (_, listed) => listed,
  },
  /** As the onnx-community exports it. A repository of no family is held against this one, so it comes last. */
  whisper: {
    modelType: 'whisper',
    isFamilyOf: () => true,
    descriptions: ['config.json', 'generation_config.json', 'preprocessor_config.json', 'tokenizer.json'],
    networks: named(
      { quantized: '_quantized', fp16: '_fp16', full: '' },
      'onnx/encoder_model',
      'onnx/decoder_model_merged',
    ),
    languages(description, _, repository) {
      const { alignment_heads: heads, lang_to_id: known } = description('generation_config.json');
      if (!Array.isArray(heads))
        throw new EarshotError(
          'unsupported_format',
          `Expected alignment_heads in generation_config.json of ${repository}, which give the times of words`,
          { nextAction: 'The onnx-community has every size with them, in repositories named ..._timestamped.' },
        );
      // Models of one language have no list.
      return Math.max(1, Object.keys(known ?? {}).length);
    },
  },
} as const satisfies Readonly<Record<string, FamilyFiles>>;

export type RecogniserFamily = keyof typeof recogniserFamilies;

const families = Object.entries<FamilyFiles>(recogniserFamilies) as [RecogniserFamily, FamilyFiles][];

/** Names of a family's networks. */
export const networkNames = (family: RecogniserFamily, variant: ModelVariant): readonly [string, string] =>
  recogniserFamilies[family].networks(variant);

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
  const [family, files] = families.find(([, each]) => each.isFamilyOf(names)) as (typeof families)[0];
  const networks = files.networks(variant);
  const missing = [...files.descriptions, ...networks].filter((name) => !present.has(name));
  if (missing.length > 0) {
    const others = modelVariants.filter(
      (other) => other !== variant && files.networks(other).every((name) => present.has(name)),
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
    descriptions: files.descriptions,
    networks: networks.flatMap((name) => [name, ...besideOf(name, present)]),
  };
}
