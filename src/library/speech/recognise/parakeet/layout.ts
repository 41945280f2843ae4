// Reads config.json and vocab.txt of a NeMo transducer, in onnx-asr's layout.
import { readFile } from 'node:fs/promises';
import { EarshotError } from '../../../core/errors/errors.ts';
import type { RecogniserModel } from '../../../models/recognisers.ts';

/** Plain data, so that it can be sent to threads. */
export interface ParakeetLayout {
  readonly id: string;
  readonly title: string;
  /** Absolute paths. */
  readonly encoderPath: string;
  readonly decoderPath: string;
  /** Total size of all files. */
  readonly bytes: number;
  /** Mel bands of the encoder's input. */
  readonly bands: number;
  /** Feature rows (10 ms) per encoder step. */
  readonly subsampling: number;
  /** Most tokens that may start in one encoder step. */
  readonly mostTokensPerStep: number;
  /** SentencePiece pieces by token; `▁` is a leading space. */
  readonly pieces: readonly string[];
  /** The blank token. */
  readonly blank: number;
}

/** @throws EarshotError tool_unavailable when they do not describe a TDT transducer */
export async function readParakeetLayout(model: RecogniserModel): Promise<ParakeetLayout> {
  const unsuitable = (why: string, cause?: unknown): EarshotError =>
    new EarshotError(
      'tool_unavailable',
      `Expected ${model.id} to be a TDT transducer in onnx-asr's layout but ${why}`,
      {
        nextAction: 'See docs/models.md for the supported layouts.',
        details: { model: model.id },
        cause,
      },
    );
  const text = (name: string): Promise<string> =>
    readFile(model.path(name), 'utf8').catch((thrown: unknown) => {
      throw unsuitable(`${name} cannot be read`, thrown);
    });
  let config: Readonly<Record<string, unknown>>;
  try {
    config = JSON.parse(await text('config.json')) as typeof config;
  } catch (thrown) {
    throw thrown instanceof EarshotError ? thrown : unsuitable('config.json is not JSON', thrown);
  }
  const number = (name: string, usual: number): number => {
    const value = config[name] ?? usual;
    if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
    throw unsuitable(`${name} in its config.json is ${JSON.stringify(value)}`);
  };
  const pieces: string[] = [];
  for (const line of (await text('vocab.txt')).split(/\r?\n/)) {
    if (line === '') continue;
    const [, piece, id] = /^(\S+) (\d+)$/.exec(line) ?? [];
    if (piece === undefined) throw unsuitable(`vocab.txt has the line ${JSON.stringify(line)}`);
    pieces[Number(id)] = piece;
  }
  const blank = pieces.indexOf('<blk>');
  if (blank < 0) throw unsuitable('vocab.txt has no <blk>');
  if (pieces.includes(undefined as unknown as string)) throw unsuitable('vocab.txt has missing numbers');
  return {
    id: model.id,
    title: model.title,
    encoderPath: model.encoder,
    decoderPath: model.decoder,
    bytes: model.bytes,
    // onnx-asr's defaults for missing values.
    bands: number('features_size', 80),
    subsampling: number('subsampling_factor', 8),
    mostTokensPerStep: number('max_tokens_per_step', 10),
    pieces,
    blank,
  };
}
