// The two networks of a Whisper.
import type { PackedWeights } from '../../../kernels/whisper-decoder.ts';
import { createSession, type Tensor } from '../../../models/sessions.ts';
import type { Heard, WhisperDecoder } from './decoder.ts';
import type { WhisperLayout } from './layout.ts';
import { q8Decoder } from './q8-decoder.ts';
import { runtimeDecoder } from './runtime-decoder.ts';

export interface WhisperNetwork extends WhisperDecoder {
  readonly layout: WhisperLayout;
  encode(mel: Float32Array): Promise<Heard>;
}

/**
 * @param weights of the decoder where the kernel can run it, null for ONNX Runtime
 * @throws EarshotError tool_unavailable when ONNX Runtime refuses a network
 */
export async function loadWhisper(layout: WhisperLayout, weights: PackedWeights | null): Promise<WhisperNetwork> {
  const encoder = await createSession(`${layout.id}/encoder`, layout.encoderPath, { keepsMemory: false });
  const decoder = weights ? q8Decoder(layout, weights) : await runtimeDecoder(layout);
  return {
    layout,
    open: decoder.open,
    async encode(mel) {
      const outputs = await encoder.run({ input_features: { data: mel, dims: [1, layout.bands, layout.frames] } }, [
        'last_hidden_state',
      ]);
      return (outputs['last_hidden_state'] as Tensor).data as Heard;
    },
    async close() {
      await Promise.all([encoder.close(), decoder.close()]);
    },
  };
}
