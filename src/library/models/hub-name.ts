import { EarshotError } from '../core/errors/errors.ts';
import { shownName } from '../core/checks/names.ts';

export interface HubRepository {
  /** owner/name */
  readonly name: string;
  /** Branch, tag or commit. */
  readonly revision: string;
}

/**
 * hf:owner/name or hf:owner/name@revision
 * @throws EarshotError bad_request
 */
export function parseHubName(text: string): HubRepository {
  const parts = /^hf:([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?$/.exec(text);
  const [, name, revision] = parts ?? [];
  if (name === undefined || /(^|\/)\.\.?(\/|$)/.test(name))
    throw new EarshotError('bad_request', `Expected hf:<owner>/<name>[@revision] but received ${shownName(text)}`, {
      details: { field: 'model', expected: 'hf:<owner>/<name>[@revision]', received: shownName(text) },
    });
  return { name, revision: revision ?? 'main' };
}
