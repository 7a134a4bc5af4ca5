/** Runs acts on one thing, by its key, one after the other; those on others meanwhile. */
export type OneAtATime = <T>(key: string, act: () => Promise<T>) => Promise<T>

/** The turns of one process. */
export function createOneAtATime(): OneAtATime {
  const lasts = new Map<string, Promise<unknown>>()
  return async (key, act) => {
    const mine = (lasts.get(key) ?? Promise.resolve()).then(act, act)
    lasts.set(key, mine)
    try {
      return await mine
    } finally {
      if (lasts.get(key) === mine) lasts.delete(key)
    }
  }
}
