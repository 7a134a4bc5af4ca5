const closers = new WeakMap<Mocha.Suite, Partial<Record<'describe' | 'test', (() => unknown)[]>>>()

/** Closes it after all other `after` hooks, in reverse order. Hooks that begin later see the result's properties. */
export function withOpened<T extends object>(
  open: () => Promise<T>,
  close: (opened: T) => unknown = () => undefined,
  per: 'describe' | 'test' = 'describe',
): T {
  const opened = {} as T
  const begin = per === 'describe' ? before : beforeEach
  begin(async function () {
    Object.defineProperties(opened, Object.getOwnPropertyDescriptors(await open()))
    const suite = this.test?.parent
    if (suite === undefined) throw new Error('withOpened must be called inside a describe')
    closersOf(suite, per).push(() => close(opened))
  })
  return opened
}

export const withServer = <T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): T =>
  withOpened(start, (server) => server.stop())

/** Adds the closing hook while the tests run, so that it runs after the test file's own. */
function closersOf(suite: Mocha.Suite, per: 'describe' | 'test'): (() => unknown)[] {
  const known = closers.get(suite)?.[per]
  if (known !== undefined) return known
  const made: (() => unknown)[] = []
  closers.set(suite, { ...closers.get(suite), [per]: made })
  const closeAll = async () => {
    const failures: unknown[] = []
    for (const close of made.splice(0).toReversed())
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    if (failures.length > 0) throw failures[0]
  }
  if (per === 'describe') suite.afterAll(closeAll)
  else suite.afterEach(closeAll)
  return made
}
