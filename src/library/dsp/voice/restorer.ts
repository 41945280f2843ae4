import { EarshotError } from '../../core/errors/errors.ts';
import { modelsFolder } from '../../models/folders.ts';
import type { VerifiedModel } from '../../models/installed.ts';
import { readOwnModel } from '../../models/own-models.ts';
import { createSession } from '../../models/sessions.ts';

export const restorerId = 'voice-restorer';
/** Input sample rate, Hz. */
export const restorerRate = 16_000;
/** Ratio of output to input samples: 48 kHz. */
const factor = 3;

/** A network that makes 48 kHz from a voice at 16 kHz. */
export interface Restorer {
  /**
   * @param voice mono, full scale 1, 1 to 10 s
   * @returns three times as many samples, in step
   * @throws EarshotError tool_unavailable when the network fails, or returns something else
   */
  restore(voice: Float32Array): Promise<Float32Array>;
  close(): Promise<void>;
}

export async function createRestorer(model: VerifiedModel): Promise<Restorer> {
  const [file] = model.model.files;
  const session = await createSession(`${model.model.id}/${file?.name}`, model.file(file?.name ?? ''));
  const refused = (what: string, cause?: unknown): EarshotError =>
    new EarshotError('tool_unavailable', `The network in ${restorerId} ${what}`, {
      cause,
      nextAction: 'See docs/models.md for the requirements.',
      details: { model: restorerId },
    });
  return {
    async restore(voice) {
      const outputs = await session
        .run({ voice: { data: voice, dims: [1, voice.length] } }, ['restored'])
        .catch((thrown: unknown) => {
          throw refused(`fails: ${thrown instanceof Error ? thrown.message : String(thrown)}`, thrown);
        });
      const { data, dims } = outputs['restored'] ?? { data: new Float32Array(), dims: [] };
      if (
        !(data instanceof Float32Array) ||
        dims.length !== 2 ||
        dims[0] !== 1 ||
        data.length !== factor * voice.length
      )
        throw refused(
          `answers [${dims.join(', ')}] to [1, ${voice.length}]; expected float32 [1, ${factor * voice.length}]`,
        );
      if (!data.every(Number.isFinite)) throw refused('returns numbers that are not finite');
      return data;
    },
    close: () => session.close(),
  };
}

/**
 * The user's network in the slot; null for an empty slot.
 * @throws EarshotError tool_unavailable when its bytes have changed
 */
export async function openRestorer(modelsDir: string | undefined): Promise<Restorer | null> {
  const model = await readOwnModel(restorerId, modelsFolder(modelsDir));
  return model && createRestorer(model);
}

/** Tested input lengths, including the shortest and longest, seconds. */
const tried = [1, 2.3, 10] as const;
/** Allowed change of level between input and output, where both have sound. */
const levelToleranceDb = 6;

/**
 * Runs a network once over sounds of several lengths: are the sizes right, and is the output in step and equally loud?
 * @throws EarshotError tool_unavailable with the failed check
 */
export async function tryRestorer(model: VerifiedModel): Promise<void> {
  const restorer = await createRestorer(model);
  try {
    for (const seconds of tried) {
      // Pulses of a voice at 120 Hz through a falling spectrum, with pauses: a sound with a clear position in time.
      const voice = new Float32Array(Math.round(seconds * restorerRate));
      let state = 0;
      for (let i = 0; i < voice.length; i += 1) {
        state = 0.9 * state + (i % 133 === 0 && i % 8000 < 5000 ? 0.3 : 0);
        voice[i] = state;
      }
      requireInStep(voice, await restorer.restore(voice));
    }
  } finally {
    await restorer.close();
  }
}

function requireInStep(voice: Float32Array, restored: Float32Array): void {
  const wide = Float32Array.from({ length: restored.length }, (_, i) => {
    const [at, share] = [Math.floor(i / factor), (i % factor) / factor];
    return (voice[at] ?? 0) * (1 - share) + (voice[at + 1] ?? 0) * share;
  });
  const energy = (x: Float32Array): number => x.reduce((sum, y) => sum + y * y, 0);
  let [best, lag] = [0, 0];
  for (let shift = -240; shift <= 240; shift += 1) {
    let sum = 0;
    for (let i = 240; i < wide.length - 240; i += 1) sum += (wide[i] as number) * (restored[i + shift] as number);
    if (sum > best) [best, lag] = [sum, shift];
  }
  const likeness = best / Math.sqrt(energy(wide) * energy(restored) + 1e-20);
  const levelDb = 20 * Math.log10(best / (energy(wide) + 1e-20) + 1e-9);
  const fault =
    likeness < 0.3
      ? 'does not return the input voice'
      : Math.abs(lag) > 2
        ? `is ${lag} samples out of step`
        : Math.abs(levelDb) > levelToleranceDb
          ? `changes the level by ${levelDb.toFixed(1)} dB`
          : null;
  if (fault !== null)
    throw new EarshotError('tool_unavailable', `The network ${fault}`, {
      nextAction: 'See docs/models.md for the requirements.',
      details: { model: restorerId },
    });
}
