import { createMemoryObjects } from './memory-object-store.ts';
import { objectStoreConformance } from './object-store.ts';

// Nothing of the port or of its suite is shaped like a disk.
objectStoreConformance('memory', () =>
  Promise.resolve({ store: createMemoryObjects(), remove: () => Promise.resolve() }),
);
