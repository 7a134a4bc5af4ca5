import { refuse } from '../../errors.ts'

/** Tests of one business at a time. Each may hold a socket of the process for 30 s. */
export const mostTests = 5

/** Limits the endpoint tests that a business runs at once in this process. */
export interface TestSlots {
  /** Runs a test. Throws RATE_LIMITED (scope `tests`) if `mostTests` of the business are running. */
  run<T>(businessId: string, test: () => Promise<T>): Promise<T>
}

export function createTestSlots(): TestSlots {
  const running = new Map<string, number>()
  return {
    async run(businessId, test) {
      const count = running.get(businessId) ?? 0
      if (count >= mostTests)
        throw refuse('RATE_LIMITED', {
          message: `Too many endpoint tests at once: a business may run ${mostTests} at a time.`,
          details: { scope: 'tests', limit: mostTests },
          retryAfterSeconds: 1,
        })
      running.set(businessId, count + 1)
      try {
        return await test()
      } finally {
        const left = (running.get(businessId) ?? 1) - 1
        if (left === 0) running.delete(businessId)
        else running.set(businessId, left)
      }
    },
  }
}
