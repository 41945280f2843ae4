import { writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { toolSlugs, type ToolId } from '../../../library/contract/tool-ids.ts';
import type { ToolOutput, ToolRunOutcome } from '../../../library/contract/media-work.ts';

/**
 * The output files of a run. For a tool that returns only values (media info, a dry run), writes them to a JSON file,
 * because clients read results from files.
 * @param inputs the inputs' filenames
 */
export async function outputsOf(
  run: ToolRunOutcome,
  tool: ToolId,
  inputs: readonly string[],
  folder: string,
): Promise<readonly ToolOutput[]> {
  const slug = toolSlugs[tool];
  if (run.outputs.length > 0) return run.outputs;
  const path = join(folder, 'result.json');
  await writeFile(path, `${JSON.stringify(run.result, null, 2)}\n`);
  return [
    {
      path,
      filename: `${parse(inputs[0] ?? 'result').name}.${slug}.json`,
      contentType: 'application/json',
      format: 'json',
      durationSeconds: null,
      hasVideo: false,
      hasAudio: false,
      media: null,
    },
  ];
}
