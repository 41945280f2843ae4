import { addedModels, addedName } from '../../library/models/added-models.ts';
import { modelsFolder, searchFolders } from '../../library/models/folders.ts';
import { checkModel, findModel, type ModelCheck } from '../../library/models/installed.ts';
import { addCommand, knownModels, modelBytes, modelSlots } from '../../library/models/manifest.ts';
import { addRecommended, recommendedRecogniser } from '../../library/models/recommended.ts';
import { knownSpeed } from '../../library/models/recogniser-speeds.ts';
import { ownModel } from '../../library/models/own-models.ts';
import { createDisplay } from '../terminal/display.ts';
import { exitCodes, type ExitCode } from '../terminal/exit.ts';
import { hint, indent, megabytes, type ModelsFlags, speedText } from './shared.ts';
import { terminalWords } from '../terminal/wording.ts';

const columns = (id: string, state: string, size: string): string =>
  `${id.padEnd(indent - 1)} ${state.padEnd(10)} ${size.padStart(8)}`;
const rates = (sampleRatesHz: readonly number[]): string =>
  `${sampleRatesHz.map((rate) => rate / 1000).join(' and ')} kHz`;

/** `earshot models list`: all models, what they are for, and where they are. */
export async function list(flags: ModelsFlags, signal: AbortSignal): Promise<ExitCode> {
  const folders = searchFolders(flags.modelsDir);
  const folder = modelsFolder(flags.modelsDir);
  const display = createDisplay({ json: flags.json ?? false });
  display.note(`Models in ${folders.join(', ')}`);
  const added = (await Promise.all(folders.map(addedModels))).flat();
  for (const model of [...knownModels(), ...added]) {
    const check = await findModel(model, folders, 'size', signal);
    const { title, purpose, licence, homepage, sampleRatesHz, languages } = model;
    const id = added.some((one) => one === model) ? addedName(model) : model.id;
    const facts = { id, title, purpose, licence, homepage, sampleRatesHz, languages: languages ?? null };
    const bytes = modelBytes(model);
    const speed = check.state === 'installed' ? await knownSpeed(model) : null;
    display.result(
      id,
      { result: { ...facts, bytes, ...check, speed } },
      `${columns(id, check.state, megabytes(bytes))}  ${rates(sampleRatesHz)}, ` +
        `${languages === undefined ? '' : `${languages} languages, `}${licence}${speed ? `, ${speedText(speed)}` : ''}\n` +
        `${' '.repeat(indent)}${title}: ${terminalWords(purpose)}${hint(model, check)}` +
        (check.state === 'missing' ? '' : `\n${' '.repeat(indent)}${check.folder}`),
    );
  }
  if (!added.some((model) => addedName(model) === recommendedRecogniser.id)) {
    const { id, title, bytes, licence, sampleRatesHz, languages, gain } = recommendedRecogniser;
    const facts = { id, title, licence, sampleRatesHz, languages: languages.length, bytes };
    display.result(
      id,
      { result: { ...facts, recommended: true, state: 'missing', problems: [] } },
      `${id}\n${columns('', 'recommended', megabytes(bytes))}  ${rates(sampleRatesHz)}, ${languages.length} ` +
        `languages, ${licence}\n` +
        [
          `${title}: ${gain}`,
          `Install it with: ${addRecommended}`,
          `Use it with: earshot transcribe <file> --model ${id}`,
        ]
          .map((line) => `${' '.repeat(indent)}${line}`)
          .join('\n'),
    );
  }
  for (const slot of modelSlots()) {
    const { id, title, purpose, sampleRatesHz } = slot;
    const model = await ownModel(slot, folder);
    const check: ModelCheck = model
      ? await checkModel(model, folder, 'size', signal)
      : { state: 'missing', problems: [] };
    const value = { id, title, purpose, sampleRatesHz, own: true, bytes: model ? modelBytes(model) : null, ...check };
    const lines = [
      `${columns(id, model ? check.state : 'empty', model ? megabytes(modelBytes(model)) : '')}  ` +
        `${rates(sampleRatesHz)}, a network of your own`,
      `${title}: ${terminalWords(purpose)}`,
      ...(check.state === 'installed' ? [] : [...check.problems, `Install one with: ${addCommand(id)}`]),
    ];
    display.result(id, { result: value }, lines.join(`\n${' '.repeat(indent)}`));
  }
  return exitCodes.ok;
}
