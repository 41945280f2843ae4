// How processes are started and ended apart from the terminal, which systems do in different ways.

/** Options of Node's spawn and fork. */
interface Apart {
  readonly detached: boolean;
  readonly windowsHide: true;
}

/**
 * For a process that ends with us and leaves Ctrl-C to us: a session of its own. On Windows `detached` would take its
 * console, where its log goes, and let it outlive us: Node's job object, which ends what we leave behind, holds only what
 * is not detached. There it has to ignore `interruptSignals` by itself.
 */
export const ownSession = (system: NodeJS.Platform = process.platform): Apart => ({
  detached: system !== 'win32',
  windowsHide: true,
});

/** For a process that goes on after us. */
export const outlivesUs: Apart = { detached: true, windowsHide: true };

/** What a terminal sends to all that run in it: Ctrl-C, and Ctrl-Break on Windows; elsewhere the latter never comes. */
export const interruptSignals = ['SIGINT', 'SIGBREAK'] as const;

/** For a process whose starter decides about interruptions. */
export function leaveInterruptsToStarter(): void {
  for (const signal of interruptSignals) process.on(signal, () => undefined);
}
