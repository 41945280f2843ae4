// The two networks of a TDT transducer: an encoder, and decoder and joint network in one graph.
import { EarshotError } from '../../../core/errors/errors.ts';
import { createSession, type NetworkSession, type Tensor } from '../../../models/sessions.ts';
import type { NemoFeatures } from './features.ts';
import type { ParakeetLayout } from './layout.ts';

/** The encoder's output for a stretch: `width` values per step. */
export interface Encoded {
  readonly steps: number;
  readonly width: number;
  /** [steps][width] */
  readonly values: Float32Array<ArrayBuffer>;
}

/** The decoder's state after the tokens so far. */
export type DecoderState = readonly [Tensor, Tensor];

export interface Joint {
  /** Logits of the tokens, blank among them. */
  readonly tokens: Float32Array;
  /** Logits of the durations: index n is n steps. */
  readonly durations: Float32Array;
  /** The state if the token is taken. */
  readonly state: DecoderState;
}

export interface ParakeetNetwork {
  encode(features: NemoFeatures): Promise<Encoded>;
  initialState(): DecoderState;
  /** @param last the previous token; blank at the start */
  join(encoding: Float32Array<ArrayBuffer>, last: number, state: DecoderState): Promise<Joint>;
  close(): Promise<void>;
}

/** @throws EarshotError tool_unavailable for other networks */
export async function loadNetwork(layout: ParakeetLayout): Promise<ParakeetNetwork> {
  const encoder = await createSession(`${layout.id}/encoder`, layout.encoderPath, {
    keepsMemory: false,
    sharedAs: layout.encoderPath,
  });
  const decoder = await createSession(`${layout.id}/decoder_joint`, layout.decoderPath, {
    sharedAs: layout.decoderPath,
  }).catch(async (thrown: unknown) => {
    await encoder.close();
    throw thrown;
  });
  try {
    return createNetwork(layout, encoder, decoder);
  } catch (thrown) {
    await Promise.all([encoder.close(), decoder.close()]);
    throw thrown;
  }
}

function createNetwork(
  { id, bands, pieces }: ParakeetLayout,
  encoder: NetworkSession,
  decoder: NetworkSession,
): ParakeetNetwork {
  const unsuitable = (why: string): EarshotError =>
    new EarshotError('tool_unavailable', `Expected the networks of a TDT transducer in ${id} but ${why}`, {
      details: { model: id },
    });
  const { audio_signal: heard } = Object.fromEntries(encoder.inputs);
  if (heard?.length !== 3 || (heard[1] !== bands && typeof heard[1] === 'number'))
    throw unsuitable(`its encoder does not take ${bands} bands (features_size in config.json)`);
  const stateShape = (name: string): number[] => {
    const [layers, , width] = decoder.inputs.get(name) ?? [];
    if (typeof layers === 'number' && typeof width === 'number') return [layers, 1, width];
    throw unsuitable(`its decoder_joint does not state the size of ${name}`);
  };
  const shapes = [stateShape('input_states_1'), stateShape('input_states_2')] as const;
  const one = { data: Int32Array.of(1), dims: [1] };
  const empty = (dims: readonly number[]): Tensor => ({
    data: new Float32Array(dims.reduce((product, length) => product * length, 1)),
    dims,
  });
  return {
    async encode({ values, columns, frames }) {
      const { outputs, encoded_lengths: lengths } = await encoder.run(
        {
          audio_signal: { data: values, dims: [1, bands, columns] },
          length: { data: BigInt64Array.of(BigInt(frames)), dims: [1] },
        },
        ['outputs', 'encoded_lengths'],
      );
      const { data, dims } = outputs as Tensor;
      const [, width = 0, total = 0] = dims;
      const [counted = 0n] = (lengths as Tensor).data as unknown as BigInt64Array;
      const steps = Math.min(total, Number(counted));
      // Transposed: the joint network takes steps one by one.
      const turned = new Float32Array(steps * width);
      for (let channel = 0; channel < width; channel += 1)
        for (let step = 0; step < steps; step += 1)
          turned[step * width + channel] = data[channel * total + step] as number;
      return { steps, width, values: turned };
    },
    initialState: () => [empty(shapes[0]), empty(shapes[1])],
    async join(encoding, last, [first, second]) {
      const { outputs, output_states_1, output_states_2 } = await decoder.run(
        {
          encoder_outputs: { data: encoding, dims: [1, encoding.length, 1] },
          targets: { data: Int32Array.of(last), dims: [1, 1] },
          target_length: one,
          input_states_1: first,
          input_states_2: second,
        },
        ['outputs', 'output_states_1', 'output_states_2'],
      );
      const { data } = outputs as Tensor;
      if (data.length <= pieces.length)
        throw unsuitable(`it does not give token durations: ${data.length} values for ${pieces.length} tokens`);
      return {
        tokens: data.subarray(0, pieces.length),
        durations: data.subarray(pieces.length),
        state: [output_states_1 as Tensor, output_states_2 as Tensor],
      };
    },
    async close() {
      await Promise.all([encoder.close(), decoder.close()]);
    },
  };
}
