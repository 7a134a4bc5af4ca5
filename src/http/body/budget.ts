import { createCountsByOwner } from '../../process/counts-by-owner.ts'

/** The memory reserved for one request body. Nothing is reserved for a small body. */
export interface BodyMemory {
  bytes: number
  /** Reduces the reserved memory to `bytes`, once the body's size is known. */
  keep(bytes: number): void
  /**
   * Runs `work`, which needs the body. The memory is released when all such work has ended, even if some of it failed.
   */
  use<T>(work: () => Promise<T>): Promise<T>
}

/** Limits how many bytes of request bodies a process holds in memory at a time, in total and per business. */
export type BodyBudget = ReturnType<typeof createBodyBudget>

/**
 * Bodies up to this size do not count towards the budget and are never rejected for lack of memory. Nearly all requests
 * that create an intent, place an order or change stock are smaller. 10 000 connections hold at most 164 MB of such
 * bodies.
 */
export const smallBodyBytes = 16 * 1024

/** JSON bodies have a separate budget, because files take seconds to arrive. */
export const bodyBudgetBytes = { json: 16 * 1024 * 1024, csv: 64 * 1024 * 1024 } as const

export type BodyKind = keyof typeof bodyBudgetBytes

/**
 * The fraction of a budget that one business may use, across all its API keys. It is enough for eight JSON bodies or
 * two files of the maximum size.
 */
export const partOfBusiness = 1 / 4

/**
 * Creates the budgets for a process that has 1 GB of memory and uses 150 MB when it holds no bodies. A product file
 * takes up five times its size while it is being processed, and JSON that consists only of brackets takes up fifteen
 * times its size. With both budgets constantly full of such bodies, the process used 550 MB with a JSON budget of 8 MiB
 * and 890 MB with a JSON budget of 32 MiB (measured).
 */
export const createBodyBudgets = (): Record<BodyKind, BodyBudget> => ({
  json: createBodyBudget(bodyBudgetBytes.json),
  csv: createBodyBudget(bodyBudgetBytes.csv),
})

export function createBodyBudget(total: number) {
  const perBusiness = total * partOfBusiness
  const taken = createCountsByOwner()

  return {
    perBusiness,
    taken: taken.all,
    /** Reserves `bytes`. Returns null if too little of the total or of the business's share is left. */
    take(businessId: string, bytes: number): BodyMemory | null {
      if (taken.all() + bytes > total || taken.of(businessId) + bytes > perBusiness) return null
      taken.add(businessId, bytes)
      return createBodyMemory(bytes, (freed) => taken.add(businessId, -freed))
    },
  }
}

/** Returns a `BodyMemory` for a body that is too small to count towards the budget. */
export const smallBody = (): BodyMemory => createBodyMemory(0, () => undefined)

function createBodyMemory(bytes: number, release: (freed: number) => void): BodyMemory {
  let users = 0
  const memory: BodyMemory = {
    bytes,
    keep(needed) {
      if (needed >= memory.bytes) return
      release(memory.bytes - needed)
      memory.bytes = needed
    },
    async use(work) {
      users += 1
      try {
        return await work()
      } finally {
        users -= 1
        if (users === 0) memory.keep(0)
      }
    },
  }
  return memory
}
