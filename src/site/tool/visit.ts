// Runs of visitors: files and options go to the free API in one request.
import { data, type Item, itemsOf, optionsOf, settingsOf, shownInputs } from './items.ts';
import type { RunRecord } from '../bench-data.ts';

/**
 * The request: files and links in their order, settings of each, and the options that the form has.
 * @param only this one of several files
 */
export function formOf(form: HTMLFormElement, only?: Item): FormData {
  const request = new FormData();
  const append = (name: string, value: unknown): void =>
    request.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  for (const input of shownInputs()) {
    const list = itemsOf(input).filter((item) => only === undefined || item === only);
    for (const { file, link, name } of list)
      if (file !== null) request.append(input.name, file, name);
      else if (link !== null && input.linkName !== null) request.append(input.linkName, link);
    if (input.settings !== null && list.length > 0) append(input.settings.option, settingsOf(input, list));
  }
  for (const [name, value] of optionsOf(form)) append(name, value);
  return request;
}

/** The page of a run, by its link. */
export function runPage({ statusUrl }: RunRecord, action = ''): string {
  const { pathname, search } = new URL(statusUrl);
  return `${data.runs}${pathname.split('/').at(-1)}${action}${search}`;
}
