import { EarshotError } from '../core/errors/errors.ts';
import { systemName } from '../core/native-files.ts';
import { optionalPackage } from '../core/start/optional-package.ts';
import { importCompanion } from './companions.ts';

type Runtime = typeof import('onnxruntime-node');

/** Systems without current builds by Microsoft, with the last release that had one. */
const lastRelease: Readonly<Record<string, string>> = { 'darwin-x64': '1.23.2' };

/**
 * ONNX Runtime, from beside the weights or from our own dependencies.
 * @param system "darwin-x64"; default: this one
 * @throws EarshotError tool_unavailable with what to do
 */
export async function importRuntime(system = systemName, load = importCompanion): Promise<Runtime> {
  const need = 'Networks need ONNX Runtime, which comes with';
  const names = [`earshot-onnxruntime-${system}`, 'onnxruntime-node'];
  const runtime = (await optionalPackage('earshot-models', need, () => load(...names)).catch((thrown: unknown) => {
    const last = lastRelease[system];
    if (last === undefined) throw thrown;
    throw new EarshotError(
      'tool_unavailable',
      `Networks need ONNX Runtime, which has no build for ${system} since ${last}`,
      {
        nextAction:
          `Tools without networks work here. Run \`npm install onnxruntime-node@${last}\` to try that release, ` +
          'or use another machine.',
        cause: thrown,
      },
    );
  })) as Runtime & { readonly default?: Runtime };
  return runtime.default ?? runtime;
}
