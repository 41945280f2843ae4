/** A mutex per name, in this process: work of one name runs in order, whether earlier work succeeded or failed. */
export function createKeyedMutex(): <Value>(name: string, work: () => Promise<Value>) => Promise<Value> {
  const ends = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = ends.get(name);
    let end = (): void => {};
    const mine = new Promise<void>((resolve) => (end = resolve));
    ends.set(name, mine);
    try {
      await before;
      return await work();
    } finally {
      if (ends.get(name) === mine) ends.delete(name);
      end();
    }
  };
}
