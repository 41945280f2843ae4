import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { importRuntime } from '../../../src/library/models/runtime.ts';

/** As `require.resolve` and a native part that is not there say it. */
const missing = (): Promise<never> =>
  Promise.reject(Object.assign(new Error("Cannot find module 'x'\nRequire stack:"), { code: 'MODULE_NOT_FOUND' }));
const errorOn = async (system: string): Promise<EarshotError> => {
  const thrown: unknown = await importRuntime(system, missing).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(EarshotError);
  return thrown as EarshotError;
};

describe('ONNX Runtime', () => {
  it('is that of this system', async () => {
    const asked: string[] = [];
    const stub = { InferenceSession: {} };
    const load = (...names: readonly string[]): Promise<unknown> => {
      asked.push(...names);
      return Promise.resolve({ default: stub });
    };
    expect(await importRuntime('win32-arm64', load)).toBe(stub);
    expect(asked).toEqual(['earshot-onnxruntime-win32-arm64', 'onnxruntime-node']);
  });

  it('comes with the weights where there is a build of it', async () => {
    const { code, message, nextAction } = await errorOn('linux-x64');
    expect(code).toBe('tool_unavailable');
    expect(message).toBe('Networks need ONNX Runtime, which comes with earshot-models, which is not installed');
    expect(nextAction).toContain('npm install earshot-models');
  });

  it('has no build for Intel Macs: the weights would not help', async () => {
    const { code, message, nextAction } = await errorOn('darwin-x64');
    expect(code).toBe('tool_unavailable');
    expect(message).toBe('Networks need ONNX Runtime, which has no build for darwin-x64 since 1.23.2');
    expect(nextAction).toContain('onnxruntime-node@1.23.2');
    expect(nextAction).not.toContain('earshot-models');
  });
});
