// The host and a process with a user of its own reach the run's folder by different paths, see `inheritedPaths`.
import type { RunPaths } from '../confine/confinement.ts';
import type { FromJob, ProcessRequest, ToJob } from '../channel/protocol.ts';
import { inPartOf, workPartOf } from '../files/work-folder.ts';

export interface PathNames {
  /** A message to the process, with paths as the process sees them. */
  toJob(message: ToJob): ToJob;
  /** A message from the process, with paths as the host sees them. */
  fromJob(message: FromJob): FromJob;
}

const samePaths: PathNames = { toJob: (message) => message, fromJob: (message) => message };

/** @param inherited null: both use the same paths */
export function pathNames(folder: string, inherited: RunPaths | null): PathNames {
  if (inherited === null) return samePaths;
  const pairs = [
    [inPartOf(folder), inherited.in],
    [workPartOf(folder), inherited.run],
  ] as const;
  const inside = (path: string): string => {
    const pair = pairs.find(([host]) => path === host || path.startsWith(`${host}/`));
    return pair === undefined ? path : pair[1] + path.slice(pair[0].length);
  };
  const outside = (text: string): string =>
    pairs.reduce((changed, [host, own]) => changed.replaceAll(`${own}/`, `${host}/`), text);

  const ofRequest = (request: ProcessRequest): ProcessRequest => ({
    ...request,
    inputs: Object.fromEntries(
      Object.entries(request.inputs).map(([field, files]) => [
        field,
        files.map(({ path, name }) => ({ path: inside(path), name })),
      ]),
    ),
    // For the cleanup of an orphan: the contents, since a descriptor itself cannot be removed.
    folder: `${inherited.run}/.`,
    workDir: inherited.run,
  });
  return {
    toJob: (message) => (message.type === 'start' ? { ...message, request: ofRequest(message.request) } : message),
    fromJob(message) {
      if (message.type === 'warning')
        return { ...message, warning: { ...message.warning, message: outside(message.warning.message) } };
      if (message.type === 'failed')
        return { ...message, error: { ...message.error, message: outside(message.error.message) } };
      if (message.type !== 'done') return message;
      const outputs = message.result.outputs.map((output) => ({ ...output, path: outside(output.path) }));
      return { ...message, result: { ...message.result, outputs } };
    },
  };
}
