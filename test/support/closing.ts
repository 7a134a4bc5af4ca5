const open: Promise<unknown>[] = []

/** Closes killed processes while other tests run, because the driver waits long for a lost connection. */
export const closeInBackground = (...closings: Promise<unknown>[]): void => void open.push(...closings)

/** Resolves when all of them are closed. Awaited by servers.ts before it stops the servers. */
export const allClosed = (): Promise<unknown> => Promise.all(open)
