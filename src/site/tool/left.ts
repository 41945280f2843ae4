// Free uses of this tool that are left today: beside the options, and told of a batch before it starts.
import { signal } from '@preact/signals';
import { ask } from '../account/requests.ts';
import { fill } from '../ui.tsx';
import { data, t } from './items.ts';

/** null: the tool has no free uses here. */
export const left = signal(data.uses);

interface Uses {
  readonly tools: readonly { readonly slug: string; readonly usesLeft: number; readonly dailyUses: number }[];
}

/** Asks again, and shows it on the page. Where that fails the next run asks. */
export async function askLeft(): Promise<void> {
  const shown = document.querySelector('#left-today');
  if (shown === null) return;
  const { tools } = await ask<Uses>(data.action.slice(0, data.action.lastIndexOf('/'))).catch((): Uses => ({
    tools: [],
  }));
  const found = tools.find(({ slug }) => slug === data.slug);
  if (found === undefined) return;
  left.value = { left: found.usesLeft, all: found.dailyUses };
  shown.textContent = fill(t.leftOf, left.value);
}
