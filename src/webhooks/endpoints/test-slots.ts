import { refuse } from '../../errors.ts'
import { createCountsByOwner } from '../../process/counts-by-owner.ts'

/**
 * The maximum number of endpoint tests that a business may run at the same time in one process. Each test may occupy
 * one of the process's sockets for 30 s.
 */
export const maxTests = 5

/** Limits the number of endpoint tests that a business runs at the same time in this process. */
export interface TestSlots {
  /** Runs a test. Throws RATE_LIMITED with the `tests` scope if the business is already running `maxTests` tests. */
  run<T>(businessId: string, test: () => Promise<T>): Promise<T>
}

export function createTestSlots(): TestSlots {
  const running = createCountsByOwner()
  return {
    async run(businessId, test) {
      if (running.of(businessId) >= maxTests)
        throw refuse('RATE_LIMITED', {
          message: `A business can run ${maxTests} endpoint tests at once. Wait for one to finish.`,
          details: { scope: 'tests', limit: maxTests },
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
