const open: Promise<unknown>[] = []

/** Lets the dead be buried while other tests run: that takes as long as the driver waits for a connection that is gone. */
export const buryMeanwhile = (graves: readonly Promise<unknown>[]): void =>
  void open.push(Promise.all(graves))

/** Before the servers end (servers.ts). */
export const allBuried = (): Promise<unknown> => Promise.all(open)
