import { fileURLToPath } from 'node:url';
import { moduleUrl } from '../../core/running-files.ts';
import { packageHooks } from '../../core/start/plug-n-play.ts';
import { jobEnvironment } from '../confine/environment.ts';
import { compileCacheFolder } from './compile-cache.ts';
import { nodeProgram } from './node-program.ts';
import { allocatorEnvironment } from './spawn.ts';

/** How a module of ours is started as a process of its own, which is not confined as jobs are. */
export function ownProcess(module: string): {
  readonly path: string;
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
} {
  const node = nodeProgram();
  const environment = jobEnvironment();
  const cache = compileCacheFolder();
  return {
    path: node.path,
    arguments: [
      '--disable-warning=ExperimentalWarning',
      ...packageHooks(environment),
      fileURLToPath(moduleUrl(module)),
    ],
    environment: {
      ...environment,
      ...allocatorEnvironment,
      ...node.environment,
      ...(cache === null ? {} : { NODE_COMPILE_CACHE: cache }),
    },
  };
}
