/**
 * One batch: 500 documents are gone in some 10 to 50 ms, for which nobody else's write waits long. MongoDB gives one up before the
 * driver gives up waiting for it (5 s), so that none goes on unheard.
 */
export const batchLimits = { documents: 500, maxTimeMS: 4_000 } as const
