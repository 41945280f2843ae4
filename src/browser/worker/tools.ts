// The tools that run in a tab.
import { slugs, tasks, tools } from 'tab-tools';
import { whatWasMeant, shownName } from '../../library/core/checks/names.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { FanOut } from '../../library/core/machine/fan-out.ts';
import { runHere } from '../../library/dsp/denoise/suppressor/pieces.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { useValidator } from '../in-place-of/library/core/checks/compile-schema.ts';

/**
 * @param name public id or slug
 * @throws EarshotError bad_request where no tool of a tab has it
 */
export async function loadTool(name: string): Promise<AnyTool> {
  const id = Object.keys(tools).find((each) => each === name || slugs[each] === name);
  const load = id === undefined ? undefined : tools[id];
  if (!load) {
    const ids = Object.keys(tools);
    throw new EarshotError(
      'bad_request',
      `In a browser's tab there is no tool ${shownName(name)}; ` +
        whatWasMeant(name, [...ids, ...Object.values(slugs)], ids),
      { details: { field: 'tool', expected: ids.join(', '), received: shownName(name) } },
    );
  }
  const { tool, validate } = await load();
  useValidator(tool.options, validate);
  return tool;
}

/** Pieces of work run one after the other, in this worker. */
export const fanOutHere = (signal: AbortSignal): FanOut =>
  runHere(signal, async (path) => {
    const load = tasks[path];
    if (!load) throw new TypeError(`Expected the build to know ${path}`);
    return load();
  });
