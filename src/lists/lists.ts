import type { Capacity } from '../limits/capacity.ts'
import { isMaxTimeError } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'

/** Lists have their own connections, so that payments don't wait for them. */
export type ListReader = ReturnType<typeof createListReader>

/** Enough for three commands per query, five per staff page, and metrics. */
export const listPoolOptions = { maxPoolSize: 16, appName: 'payment-intents lists' } as const

export function createListReader(models: Models, capacity: Capacity) {
  /** The caller must already have a share of `queries`. */
  async function read<T>(query: (models: Models) => Promise<T>): Promise<T> {
    try {
      return await query(models)
    } catch (error) {
      if (!isMaxTimeError(error)) throw error
      throw refuse('SERVICE_UNAVAILABLE', {
        message:
          'Reading this list took too long. Narrow it with a filter such as `from` and `to`, or try again.',
        retryAfterSeconds: 5,
      })
    }
  }

  return {
    /** MongoDB aborts their queries after `maxListReadMs`. */
    models,
    read,
    async run<T>(owner: string, query: (models: Models) => Promise<T>): Promise<T> {
      const held = await capacity.wait(owner, { queries: 1 })
      return read(query).finally(held.free)
    },
    /** Holds its slot during `act`, to limit how fast a business can act. */
    async readAndAct<Found, Done>(
      businessId: string,
      query: (models: Models) => Promise<Found>,
      act: (found: Found) => Promise<Done>,
    ): Promise<Done> {
      const held = await capacity.wait(businessId, { lists: 1, queries: 1 })
      const beganAt = performance.now()
      try {
        const found = await read(query).finally(() => held.resize({ queries: 0 }))
        return await act(found)
      } finally {
        capacity.endRead(businessId, held, { bytes: 0, tookMs: performance.now() - beganAt })
      }
    },
  }
}
