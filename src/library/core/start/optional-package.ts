import { EarshotError } from '../errors/errors.ts';

/**
 * Loads an optional package.
 * @param name its npm name, or several separated by spaces
 * @param need what needs it, as the beginning of a sentence: "Pictures of waveforms need"
 * @throws EarshotError tool_unavailable with the command that installs it
 */
export async function optionalPackage<Module>(
  name: string,
  need: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND')
      throw new EarshotError('tool_unavailable', `${need} ${name}, which does not load: ${message.split('\n')[0]}`, {
        nextAction: `Run \`npm install ${name}\` again and check its output.`,
        cause,
      });
    throw new EarshotError('tool_unavailable', `${need} ${name}, which is not installed`, {
      nextAction: `Run \`npm install ${name}\` and try again.`,
      cause,
    });
  }
}
