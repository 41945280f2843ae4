import { EarshotError } from '../core/errors/errors.ts';
import type { ToolId } from '../contract/tool-ids.ts';
import { shownName, whatWasMeant } from '../core/checks/names.ts';
import { declared } from './declared.ts';
import type { AnyTool } from './declare/define.ts';
import type { ToolResultById } from './results.ts';

/** Checks that each tool's run returns its declared result type. */
type Answering = {
  readonly [Id in ToolId]: {
    run(): Promise<{ run(context: never): Promise<{ readonly result: ToolResultById[Id] }> }>;
  };
};

declared satisfies Answering;

/** Every tool of this build, in display order. */
export const tools: readonly AnyTool[] = Object.values(declared);

/** The tool with this public id or slug, or undefined. */
export function findTool<Tool extends { readonly id: string; readonly slug: string } = AnyTool>(
  idOrSlug: string,
  among: readonly Tool[] = tools as readonly object[] as readonly Tool[],
): Tool | undefined {
  return among.find((tool) => tool.id === idOrSlug || tool.slug === idOrSlug);
}

/** @throws EarshotError bad_request with the known tools */
export function requireTool<Tool extends { readonly id: string; readonly slug: string } = AnyTool>(
  idOrSlug: string,
  among: readonly Tool[] = tools as readonly object[] as readonly Tool[],
): Tool {
  const tool = findTool(idOrSlug, among);
  if (tool) return tool;
  const ids = among.map(({ id }) => id);
  const meant = whatWasMeant(idOrSlug, [...ids, ...among.map(({ slug }) => slug)], ids);
  const shown = shownName(idOrSlug);
  throw new EarshotError('bad_request', `Unknown tool ${shown}; ${meant}`, {
    details: { field: 'tool', expected: ids.join(', '), received: shown },
  });
}
