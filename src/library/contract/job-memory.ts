import { type ToolId, toolIds } from './tool-ids.ts';
import { toolWork } from './tool-work.ts';

const memoryOf = (id: ToolId): number => toolWork[id].memoryMib ?? 0;

/** What jobs of this size cannot do, a line each: "remove_noise, enhance_voice need 500 MiB". */
export function tooSmallFor(jobMemoryBytes: number): string[] {
  const missing = new Set(toolIds.map(memoryOf).filter((mib) => jobMemoryBytes < mib * 2 ** 20));
  return [...missing]
    .toSorted((a, b) => b - a)
    .map((mib) => `${toolIds.filter((id) => memoryOf(id) === mib).join(', ')} need ${mib} MiB`);
}
