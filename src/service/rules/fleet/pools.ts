import { badValue } from '../../../library/core/checks/schema.ts';
import { toolIds, type ToolId } from '../../../library/contract/tool-ids.ts';
import { toolWork } from '../../../library/contract/tool-work.ts';

/** The label that a tool's jobs prefer, by tool. */
export type Pools = Readonly<Partial<Record<ToolId, string>>>;

/** Tools whose results depend on the installed models. */
export const toolsWithModels: readonly ToolId[] = toolIds.filter((id) => toolWork[id].models !== 'none');

/** A job is left to a machine that suits it better, and has a free slot, for so long. */
export const poolWaitSeconds = 5;

/**
 * Parses "transcribe_audio=gpu,align_script=gpu".
 * @throws EarshotError bad_request
 */
export function readPools(text: string | null): Pools {
  const pools: Partial<Record<ToolId, string>> = {};
  for (const part of (text ?? '').split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const [, tool, label] = /^(\w+)=([\w.-]+)$/.exec(part) ?? [];
    if (label === undefined || !toolIds.includes(tool as ToolId))
      throw badValue('EARSHOT_POOLS', 'list of <tool>=<label>, such as transcribe_audio=gpu', part);
    pools[tool as ToolId] = label;
  }
  return pools;
}
