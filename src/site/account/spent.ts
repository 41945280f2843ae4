/** Event of the window: a run of this page has taken credits, or given them back. The bar shows what is left. */
export const spent = 'earshot:spent';
