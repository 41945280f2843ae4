import { streamingChanges } from '../../library/dsp/denoise/deepfilternet/network-tasks.ts';
import { searchFolders } from '../../library/models/folders.ts';
import { requireInstalled } from '../../library/models/installed.ts';
import { deviationOf, mostDeviation } from '../../library/models/network-check.ts';
import { createSession } from '../../library/models/sessions.ts';
import { exposeState } from '../../library/models/streaming-graph.ts';

/** Networks with a stored answer, by session name: model and file. */
const files: Readonly<Record<string, readonly [model: string, file: string]>> = {
  'deepfilternet3/enc': ['deepfilternet3', 'enc.onnx'],
  'deepfilternet3/erb_dec': ['deepfilternet3', 'erb_dec.onnx'],
  'deepfilternet3/df_dec': ['deepfilternet3', 'df_dec.onnx'],
  'silero-vad': ['silero-vad', 'silero_vad.onnx'],
  'pyannote-segmentation-3.0': ['pyannote-segmentation-3.0', 'model.onnx'],
  campplus: ['campplus', 'model.onnx'],
  'sound-classifier': ['sound-classifier', 'model.onnx'],
};

/**
 * A network as it is run here.
 * @throws EarshotError tool_unavailable when its model is missing or damaged
 */
export async function networkBytes(name: string): Promise<Uint8Array> {
  const [model = '', file = ''] = files[name] ?? [];
  const bytes = (await requireInstalled(model, searchFolders())).file(file);
  const part = name.split('/')[1] as keyof typeof streamingChanges | undefined;
  return part === undefined ? bytes : exposeState(bytes, streamingChanges[part]);
}

export interface NetworkState {
  readonly name: string;
  /** As a share of the answer's root mean square; null: the model is missing or does not load. */
  readonly deviation: number | null;
  readonly right: boolean;
}

/** Compares this processor's answer of each network to a small input with the stored one. */
export async function tryNetworks(): Promise<readonly NetworkState[]> {
  const states: NetworkState[] = [];
  for (const name of Object.keys(files)) {
    let deviation: number | null = null;
    try {
      const session = await createSession(name, await networkBytes(name), { checked: false });
      deviation = await deviationOf(name, session);
      await session.close();
    } catch {
      // Missing and damaged models are reported elsewhere.
    }
    states.push({ name, deviation, right: deviation !== null && deviation <= mostDeviation });
  }
  return states;
}
