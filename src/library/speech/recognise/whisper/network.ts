// The two networks of a Whisper.
import { freeUnusedMemory } from '../../../kernels/free-memory.ts';
import { createSession, type Tensor } from '../../../models/sessions.ts';
import { type Heard, type WhisperDecoder } from './decoder.ts';
import type { WhisperLayout } from './layout.ts';
import { q8Decoder } from './q8-decoder.ts';
import { runtimeDecoder } from './runtime-decoder.ts';
import { inTurn, type SharedNetwork } from './shared-network.ts';

export interface WhisperNetwork extends WhisperDecoder {
  readonly layout: WhisperLayout;
  encode(mel: Float32Array): Promise<Heard>;
}

/**
 * @param shared data that the process shares among threads
 * @throws EarshotError tool_unavailable when ONNX Runtime refuses a network
 */
export async function loadWhisper(layout: WhisperLayout, shared: SharedNetwork): Promise<WhisperNetwork> {
  const encoder = await inTurn(shared, async () => {
    const file = shared.encoder === null ? layout.encoderPath : new Uint8Array(shared.encoder);
    const session = await createSession(`${layout.id}/encoder`, file, {
      keepsMemory: false,
      sharedAs: layout.encoderPath,
    });
    freeUnusedMemory();
    return session;
  });
  const decoder = shared.decoder ? q8Decoder(layout, shared.decoder) : await runtimeDecoder(layout);
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
