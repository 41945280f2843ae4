// Where Node's headers lie on this machine, so that building needs no network.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const hasHeaders = (tree) =>
  tree &&
  existsSync(join(tree, 'include', 'node', 'node_api.h')) &&
  existsSync(join(tree, 'include', 'node', 'common.gypi'));

/**
 * The folder that has `include/node`: what npm was told to build against, the running Node's own, or the one inside of
 * the `node` dev dependency, in this order.
 * @param root the package
 * @returns undefined where there is none
 */
export const nodeTree = (root) =>
  [
    process.env.npm_config_nodedir,
    dirname(dirname(process.execPath)),
    join(root, 'node_modules', 'node', 'node_modules', `node-${process.platform}-${process.arch}`),
    join(root, 'node_modules', `node-${process.platform}-${process.arch}`),
  ].find(hasHeaders);
