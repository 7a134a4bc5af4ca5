export type KeyedMutex = <T>(key: string, act: () => Promise<T>) => Promise<T>

export function createKeyedMutex(): KeyedMutex {
  const latest = new Map<string, Promise<unknown>>()
  return async (key, act) => {
    const run = (latest.get(key) ?? Promise.resolve()).then(act, act)
    latest.set(key, run)
    try {
      return await run
    } finally {
      if (latest.get(key) === run) latest.delete(key)
    }
  }
}
