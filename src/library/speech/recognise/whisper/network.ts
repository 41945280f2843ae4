// The two networks of a Whisper.
import { freeUnusedMemory } from '../../../kernels/free-memory.ts';
import { createWhisperEncoder } from '../../../kernels/whisper-encoder.ts';
import { createSession, type Tensor } from '../../../models/sessions.ts';
import { type EncodedSound, type WhisperDecoder } from './decoder.ts';
import type { WhisperLayout } from './layout.ts';
import { q8Decoder } from './q8-decoder.ts';
import { runtimeDecoder } from './runtime-decoder.ts';
import { inTurn, type SharedWhisper } from './shared-network.ts';

interface WhisperEncoder {
  /** @param mel as `WhisperNetwork.encode` */
  encode(mel: Float32Array): Promise<EncodedSound>;
  close(): Promise<void>;
}

export interface WhisperNetwork extends WhisperDecoder {
  readonly layout: WhisperLayout;
  /** Can the begin of a window be encoded alone? */
  readonly encodesParts: boolean;
  /** @param mel [bands][frames] of a whole window, or of its begin */
  encode(mel: Float32Array): Promise<EncodedSound>;
}

/** By ONNX Runtime: weights of any precision, any processor. */
async function runtimeEncoder(layout: WhisperLayout, shared: SharedWhisper): Promise<WhisperEncoder> {
  const session = await inTurn(shared, async () => {
    const file = shared.encoderFile === null ? layout.encoderPath : new Uint8Array(shared.encoderFile);
    const opened = await createSession(`${layout.id}/encoder`, file, {
      keepsMemory: false,
      sharedAs: layout.encoderPath,
    });
    freeUnusedMemory();
    return opened;
  });
  return {
    async encode(mel) {
      const outputs = await session.run({ input_features: { data: mel, dims: [1, layout.bands, layout.frames] } }, [
        'last_hidden_state',
      ]);
      return (outputs['last_hidden_state'] as Tensor).data as EncodedSound;
    },
    close: () => session.close(),
  };
}

/**
 * @param shared data that the process shares among threads
 * @throws EarshotError tool_unavailable when ONNX Runtime refuses a network
 */
export async function loadWhisper(layout: WhisperLayout, shared: SharedWhisper): Promise<WhisperNetwork> {
  const kernel = shared.encoder && createWhisperEncoder(shared.encoder);
  const encoder: WhisperEncoder = kernel
    ? { encode: (mel) => Promise.resolve(kernel.encode(mel)), close: () => Promise.resolve() }
    : await runtimeEncoder(layout, shared);
  const decoder = shared.decoder ? q8Decoder(layout, shared.decoder) : await runtimeDecoder(layout);
  return {
    layout,
    // ONNX Runtime's networks take whole windows.
    encodesParts: Boolean(shared.encoder && shared.decoder),
    open: decoder.open,
    encode: (mel) => encoder.encode(mel),
    async close() {
      await Promise.all([encoder.close(), decoder.close()]);
    },
  };
}
