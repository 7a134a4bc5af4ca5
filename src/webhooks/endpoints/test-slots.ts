import { refuse } from '../../errors.ts'
import { createCountsByOwner } from '../../process/counts-by-owner.ts'

/** Tests of one business at a time. Each may hold a socket of the process for 30 s. */
export const mostTests = 5

/** Limits the endpoint tests that a business runs at once in this process. */
export interface TestSlots {
  /** Runs a test. Throws RATE_LIMITED (scope `tests`) if `mostTests` of the business are running. */
  run<T>(businessId: string, test: () => Promise<T>): Promise<T>
}

export function createTestSlots(): TestSlots {
  const running = createCountsByOwner()
  return {
    async run(businessId, test) {
      if (running.of(businessId) >= mostTests)
        throw refuse('RATE_LIMITED', {
          message: `A business can run ${mostTests} endpoint tests at once. Wait for one to finish.`,
          details: { scope: 'tests', limit: mostTests },
          retryAfterSeconds: 1,
        })
      running.add(businessId, 1)
      try {
        return await test()
      } finally {
        running.add(businessId, -1)
      }
    },
  }
}
