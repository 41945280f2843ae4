// In place of core/machine/collect-garbage.ts: a browser collects when it wants to.

export const collectGarbage = (): void => undefined;
export const collectNewGarbage = (): void => undefined;
