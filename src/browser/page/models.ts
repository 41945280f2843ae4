// Models that a browser keeps, for a page that shows them, fetches them early or removes them.
import { models } from 'tab-models';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { addressOf, fetchFile, keptFile, removeFiles, requireKept } from '../models/kept.ts';

/** A model that tools of a tab use. */
export interface TabModel {
  /** "whisper-base". */
  readonly id: string;
  readonly title: string;
  /** Of all its files, as they are fetched. */
  readonly bytes: number;
  /** Does this browser have all of it? */
  readonly isKept: boolean;
}

/** The models that this browser keeps. */
export interface TabModels {
  /** All that there are, kept or not. */
  list(): Promise<readonly TabModel[]>;
  /**
   * Fetches a model before a run needs it. What is kept is not fetched again.
   * @param id of `list`
   * @param control `onProgress` gets 0 to 1; `signal` ends it
   * @throws EarshotError bad_request for another id; tool_unavailable where it cannot be fetched; an AbortError
   */
  fetch(
    id: string,
    control?: { readonly signal?: AbortSignal; readonly onProgress?: (fraction: number) => void },
  ): Promise<void>;
  /**
   * Removes a model from this browser. A run that needs it fetches it again.
   * @throws EarshotError bad_request for another id
   */
  remove(id: string): Promise<void>;
}

const bytesOf = ({ files }: (typeof models)[number]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** @param base address of the folder of models */
export const tabModels = (base: string | null): TabModels => ({
  list: () =>
    Promise.all(
      models.map(async (model) => {
        const kept = await Promise.all(model.files.map(keptFile));
        return {
          id: model.id,
          title: model.title,
          bytes: bytesOf(model),
          isKept: kept.every((file) => file !== null),
        };
      }),
    ),
  async fetch(id, { signal, onProgress = () => undefined } = {}) {
    const model = requireKept(id);
    if (base === null)
      throw new EarshotError('bad_request', 'Expected the address of models in createEngine', {
        details: { field: 'models' },
      });
    let had = 0;
    const all = bytesOf(model);
    for (const file of model.files) {
      const before = had;
      await fetchFile(addressOf(base, model, file), file, signal, (count) => onProgress((had += count) / all));
      had = before + file.bytes;
      onProgress(had / all);
    }
  },
  remove: (id) => removeFiles(requireKept(id)),
});
