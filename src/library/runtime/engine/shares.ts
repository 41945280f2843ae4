// How runs divide the cores among themselves, as they come and go.

export interface Shares {
  /** Cores for one more or one of those that run: all for a run alone, a part of them when others run or wait. */
  readonly share: number;
  /** A run came, began to wait, or ended. */
  redivide(): void;
  /**
   * Tells a run its share whenever it changes, until the returned function is called.
   * @param known the share that it has been told
   */
  follow(known: number, tell: (share: number) => void): () => void;
}

/** @param demand runs that run or wait */
export function createShares(cores: number, concurrency: number, demand: () => number): Shares {
  const followers = new Set<() => void>();
  const shareNow = (): number => Math.max(1, Math.floor(cores / Math.min(concurrency, Math.max(1, demand()))));
  return {
    get share() {
      return shareNow();
    },
    redivide() {
      for (const follower of followers) follower();
    },
    follow(known, tell) {
      let told = known;
      const follower = (): void => {
        const share = shareNow();
        if (share === told) return;
        told = share;
        tell(share);
      };
      followers.add(follower);
      follower();
      return () => void followers.delete(follower);
    },
  };
}
