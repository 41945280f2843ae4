import { extname } from 'node:path';
import { chainFiles, fileNumber, ofStep } from '../../contract/chain-calls.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { PlannedStep } from './chain.ts';

// The formats that a chain's resulting sound may have.
const soundFormats = ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'opus'];

export const isSoundFormat = (extension: string): boolean => soundFormats.includes(extension);

/** Names of files that never have a moving picture. */
const soundAlone = ['wav', 'mp3', 'flac', 'opus'];

/**
 * What a later step would find after the work of those before it.
 * @throws EarshotError wrong_file_type where a step that needs a picture gets a file that is sound by its name;
 *   bad_request for a cover that is none
 */
export async function requirePictures(steps: readonly PlannedStep[], files: readonly string[]): Promise<void> {
  for (const { name, tool, sources } of steps)
    for (const [field, names] of Object.entries(sources)) {
      const { kind, needs = 'any' } = tool.inputs[field] ?? {};
      if (!needs.includes('video') && kind !== 'picture') continue;
      const given = names.flatMap((source) =>
        source === chainFiles ? files : files.slice((fileNumber(source) ?? 0) - 1, fileNumber(source) ?? 0),
      );
      if (kind === 'picture') {
        const { readCover } = await import('../../media/write/read-cover.ts');
        try {
          for (const path of given) readCover(path);
        } catch (thrown) {
          throw ofStep(name, thrown);
        }
        continue;
      }
      const sound = given.find((path) => soundAlone.includes(extname(path).slice(1).toLowerCase()));
      if (sound !== undefined)
        throw ofStep(
          name,
          new EarshotError('wrong_file_type', `Expected a video for ${field} but received ${extname(sound)}`, {
            details: { field: 'files' },
          }),
        );
    }
}

/**
 * A tool that needs a picture leaves it in its result.
 * @param format that the chain's sound is to have; null: as its first file
 * @throws EarshotError bad_request where only sound is wanted of a chain that makes a video
 */
export function requireSound(steps: readonly PlannedStep[], format: string | null): void {
  if (format === null) return;
  for (const { name, tool } of steps)
    if (Object.values(tool.inputs).some(({ needs }) => needs.includes('video')))
      throw ofStep(
        name,
        new EarshotError('bad_request', `Expected no format, or a video's own, for a video but received ${format}`, {
          nextAction: 'Leave the format out: the result has that of the first file.',
          details: { field: 'format', received: format },
        }),
      );
}
