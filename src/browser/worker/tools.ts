// The tools that run in a tab.
import { models, slugs, tasks, tools } from 'tab-tools';
import { whatWasMeant, shownName } from '../../library/core/checks/names.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { packagePath } from '../../library/core/running-files.ts';
import type { FileTree } from '../files/tree.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { useValidator } from '../in-place-of/library/core/checks/compile-schema.ts';
import { useTasks } from '../in-place-of/library/core/running-files.ts';

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

/** Puts what the library has in its own package where it looks for it. No model is installed. */
export function placePackage(files: FileTree): void {
  useTasks(tasks);
  files.writeAll(packagePath('models/manifest.json'), new TextEncoder().encode(models));
}
