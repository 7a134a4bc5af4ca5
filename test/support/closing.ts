const open: Promise<unknown>[] = []

/** Closes killed processes while other tests run, because the driver waits long for a lost connection. */
export function closeInBackground(...closings: Promise<unknown>[]): void {
  // An error is thrown by `allClosed`, and not in the test that happens to run.
  for (const closing of closings) closing.catch(() => undefined)
  open.push(...closings)
}

/** Resolves when all of them are closed. Awaited by servers.ts before it stops the servers. */
export const allClosed = (): Promise<unknown> => Promise.all(open)
