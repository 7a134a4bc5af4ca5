const open: Promise<unknown>[] = []

/** Closes killed processes while other tests run, because the driver waits long for a lost connection. Never throws. */
export function closeInBackground(...closings: Promise<unknown>[]): void {
  for (const closing of closings) closing.catch(() => undefined)
  open.push(...closings)
}

/** Resolves when all of them are closed, or throws their error. Awaited by servers.ts before it stops the servers. */
export const allClosed = (): Promise<unknown> => Promise.all(open)
