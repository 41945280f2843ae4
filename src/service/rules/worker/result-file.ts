import { writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { toolSlugs, type ToolId } from '../../../library/contract/tool-ids.ts';
import type { ToolOutput, ToolRunOutcome } from '../../../library/contract/media-work.ts';

/**
 * A job's answer is its output files: the interface's job record has no other place for one. A tool that answers values
 * only (media info, a dry run) gets them as a JSON file.
 * @param inputs the names that people gave the files
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
