// Runs in this browser, by the script that decides where a run is done.
import { signal } from '@preact/signals';
import type { HereOrders } from '../bench-data.ts';
import { data } from './items.ts';

/** null: runs go to the service; undefined: that is being found out. */
export const here = signal<HereOrders | null | undefined>(data.device ? undefined : null);
