import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRestorer, restorerRate, tryRestorer } from '../../../src/library/dsp/voice/restorer.ts';
import { checkModel } from '../../../src/library/models/installed.ts';
import { requireModel, requireSlot } from '../../../src/library/models/manifest.ts';
import { addOwnModel, ownModel, readOwnModel } from '../../../src/library/models/own-models.ts';
import { scratch, thrownBy } from '../../fixtures/media/media.ts';
import { restorerNetwork } from '../../fixtures/networks/restorer.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const slot = requireSlot('voice-restorer');
let count = 0;
const folder = (): string => at(`models-${(count += 1)}`);
const file = (bytes: Uint8Array): string => {
  const path = at(`network-${(count += 1)}.onnx`);
  writeFileSync(path, bytes);
  return path;
};

describe("a network of one's own", () => {
  it('is tried, pinned and from then on read as it was added', slow, async () => {
    const models = folder();
    expect(await ownModel(slot, models)).toBeNull();
    expect(await openRestorer(models)).toBeNull();
    const added = await addOwnModel(slot, file(restorerNetwork()), models, tryRestorer);
    expect(readdirSync(models)).toEqual(['voice-restorer']);
    expect(await ownModel(slot, models)).toEqual(added);
    expect(await checkModel(added, models, 'hash')).toEqual({ state: 'installed', problems: [] });
    const restorer = await openRestorer(models);
    const voice = Float32Array.from({ length: restorerRate }, (_, i) => Math.sin(i / 7));
    expect((await restorer?.restore(voice))?.map((x) => x + 0)).toEqual(
      Float32Array.from({ length: 3 * restorerRate }, (_, i) => (i % 3 === 0 ? 3 * (voice[i / 3] as number) : 0) + 0),
    );
    await restorer?.close();
  });

  it('takes the place of the one before', slow, async () => {
    const models = folder();
    await addOwnModel(slot, file(restorerNetwork()), models, tryRestorer);
    const second = restorerNetwork({ becomes: [1, 1, 1] });
    await addOwnModel(slot, file(second), models, tryRestorer);
    expect(readFileSync(join(models, 'voice-restorer', 'restorer.onnx')).equals(second)).toBe(true);
    expect(readdirSync(models)).toEqual(['voice-restorer']);
  });

  it('is refused once its bytes have changed, been cut off or gone, or its pin is damaged', slow, async () => {
    const models = folder();
    const path = join(models, 'voice-restorer', 'restorer.onnx');
    const bytes = restorerNetwork();
    await addOwnModel(slot, file(bytes), models, tryRestorer);
    const altered = Uint8Array.from(bytes, (byte, i) => (i === bytes.length - 30 ? byte ^ 1 : byte));
    for (const wrong of [altered, bytes.subarray(0, bytes.length - 1)]) {
      writeFileSync(path, wrong);
      expect(await thrownBy(() => readOwnModel('voice-restorer', models))).toMatchObject({
        code: 'tool_unavailable',
        details: { model: 'voice-restorer' },
        nextAction: expect.stringContaining('earshot models add voice-restorer') as string,
      });
    }
    writeFileSync(path, bytes);
    expect(await readOwnModel('voice-restorer', models)).not.toBeNull();
    writeFileSync(join(models, 'voice-restorer', 'pin.json'), '{"bytes":');
    expect(await thrownBy(() => readOwnModel('voice-restorer', models))).toMatchObject({ code: 'tool_unavailable' });
  });

  it.each([
    [
      'something that is no ONNX file',
      Uint8Array.from({ length: 500 }, (_, i) => i % 251),
      'unsupported_format',
      /Expected an ONNX file/,
    ],
    ['other inputs', restorerNetwork({ input: 'audio' }), 'unsupported_format', /inputs named voice but .* audio/],
    [
      'other outputs',
      restorerNetwork({ output: 'sound' }),
      'unsupported_format',
      /outputs named restored but .* sound/,
    ],
    [
      'another rate',
      restorerNetwork({ becomes: [1, 1] }),
      'tool_unavailable',
      /answers \[1, 32000\] to \[1, 16000\]; expected float32 \[1, 48000\]/,
    ],
    ['another level', restorerNetwork({ becomes: [0.3, 0.3, 0.3] }), 'tool_unavailable', /changes the level by -10/],
    ['silence', restorerNetwork({ becomes: [0, 0, 0] }), 'tool_unavailable', /does not return the input voice/],
    ['numbers that are none', restorerNetwork({ becomes: [Number.NaN, 0, 0] }), 'tool_unavailable', /not finite/],
  ] as const)('is not taken with %s; nothing is left behind', async (_what, bytes, code, message) => {
    const models = folder();
    const thrown = await thrownBy(() => addOwnModel(slot, file(bytes), models, tryRestorer));
    expect(thrown).toMatchObject({ code });
    expect(thrown.message).toMatch(message);
    expect(existsSync(models)).toBe(false);
  });

  it('is nothing that install knows', async () => {
    expect(await thrownBy(() => requireModel('voice-restorer'))).toMatchObject({
      code: 'tool_unavailable',
      nextAction: 'Run `earshot models add voice-restorer <file.onnx>`.',
    });
    expect(await thrownBy(() => requireSlot('gtcrn'))).toMatchObject({ code: 'bad_request' });
  });
});
