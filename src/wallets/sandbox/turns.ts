/** Runs acts on one wallet one after the other; those on others meanwhile. */
export type InTurn = <T>(accountId: string, act: () => Promise<T>) => Promise<T>

/**
 * The turns of one process. Not what keeps the books right, that is in the writes: a hundred customers of one wallet would only be
 * in each other's way, and each who finds it busy costs two trips to MongoDB.
 */
export function createTurns(): InTurn {
  const lasts = new Map<string, Promise<unknown>>()
  return async (accountId, act) => {
    const mine = (lasts.get(accountId) ?? Promise.resolve()).then(act, act)
    lasts.set(accountId, mine)
    try {
      return await mine
    } finally {
      if (lasts.get(accountId) === mine) lasts.delete(accountId)
    }
  }
}
