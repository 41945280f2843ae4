// Starts and ends processes independently of the terminal, which differs between systems.

/** Options of Node's spawn and fork. */
interface Apart {
  readonly detached: boolean;
  readonly windowsHide: true;
}

/**
 * For a process that ends with us and leaves Ctrl-C to us: its own session. On Windows `detached` would take away its
 * console, which shows its log, and let it outlive us: Node's job object ends only processes that are not detached.
 * There the process has to ignore `interruptSignals` itself.
 */
export const ownSession = (system: NodeJS.Platform = process.platform): Apart => ({
  detached: system !== 'win32',
  windowsHide: true,
});

/** For a process that outlives us. */
export const outlivesUs: Apart = { detached: true, windowsHide: true };

/** What a terminal sends to all its processes: Ctrl-C, and Ctrl-Break on Windows only. */
export const interruptSignals = ['SIGINT', 'SIGBREAK'] as const;

/** For a process that its parent interrupts. */
export function leaveInterruptsToStarter(): void {
  for (const signal of interruptSignals) process.on(signal, () => undefined);
}
