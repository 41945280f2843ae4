/** What was opened for one output, to be closed together. */
export class Opened {
  private readonly closers: (() => void)[] = [];

  /** Closed with the rest, unless its owner closes it first. */
  add<Thing extends { close(): void }>(thing: Thing): Thing {
    this.closers.push(() => thing.close());
    return thing;
  }

  /** Closes the last one first. Does nothing the second time. */
  close(): void {
    for (const close of this.closers.splice(0).toReversed()) close();
  }
}
