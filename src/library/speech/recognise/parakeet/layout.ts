// What config.json and vocab.txt of a NeMo transducer say, in the layout that onnx-asr reads.
import { readFile } from 'node:fs/promises';
import { EarshotError } from '../../../core/errors.ts';
import type { RecogniserModel } from '../../../models/recognisers.ts';

/** Plain data, so that threads get it as it is. */
export interface ParakeetLayout {
  readonly id: string;
  readonly title: string;
  /** Absolute paths. */
  readonly encoderPath: string;
  readonly decoderPath: string;
  /** Of all files. */
  readonly bytes: number;
  /** Mel bands that the encoder takes. */
  readonly bands: number;
  /** Rows of features (10 ms) that one step of the encoder covers. */
  readonly subsampling: number;
  /** So many tokens may begin in one step of the encoder. */
  readonly mostTokensPerStep: number;
  /** SentencePiece pieces by token; `▁` stands for a space in front. */
  readonly pieces: readonly string[];
  /** "Nothing begins here." */
  readonly blank: number;
}

/** @throws EarshotError tool_unavailable when they do not describe a TDT transducer */
export async function readLayout(model: RecogniserModel): Promise<ParakeetLayout> {
  const unsuitable = (why: string, cause?: unknown): EarshotError =>
    new EarshotError(
      'tool_unavailable',
      `Expected ${model.id} to be a TDT transducer as onnx-asr reads them but ${why}`,
      {
        nextAction: 'docs/models.md says which layouts are read.',
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
    throw thrown instanceof EarshotError ? thrown : unsuitable('config.json is no JSON', thrown);
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
  if (pieces.includes(undefined as unknown as string)) throw unsuitable('vocab.txt leaves numbers out');
  return {
    id: model.id,
    title: model.title,
    encoderPath: model.encoder,
    decoderPath: model.decoder,
    bytes: model.bytes,
    // onnx-asr's own values where the file says nothing.
    bands: number('features_size', 80),
    subsampling: number('subsampling_factor', 8),
    mostTokensPerStep: number('max_tokens_per_step', 10),
    pieces,
    blank,
  };
}
