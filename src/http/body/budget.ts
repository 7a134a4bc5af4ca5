import { createCountsByOwner } from '../../process/counts-by-owner.ts'

/** The memory reserved for one request body. A small body reserves none. */
export interface BodyMemory {
  bytes: number
  /** Releases all but `bytes`, once the body's size is known. */
  keep(bytes: number): void
  /** Runs work that needs the body. The memory is released once all such work has ended, even if it failed. */
  use<T>(work: () => Promise<T>): Promise<T>
}

/** Limits how many bytes of request bodies a process holds at a time, in total and per business. */
export interface BodyBudget {
  perBusiness: number
  taken(): number
  /** Returns null if the budget does not have that many bytes left. */
  take(businessId: string, bytes: number): BodyMemory | null
}

/**
 * Bodies up to this size do not count towards the budget and are never rejected for lack of memory. Nearly every
 * create, order and stock change is smaller. 10 000 connections hold at most 160 MB of such bodies.
 */
export const smallBodyBytes = 16 * 1024

/** JSON has its own budget, because files take seconds to arrive. */
export const bodyBudgetBytes = { json: 16 * 1024 * 1024, csv: 64 * 1024 * 1024 } as const

export type BodyKind = keyof typeof bodyBudgetBytes

/** One business's share of a budget, across all its API keys: sixteen JSON bodies or two files of the maximum size. */
export const partOfBusiness = 1 / 4

/**
 * Creates the budgets for a process that has 1 GB of memory and uses 150 MB when it holds no bodies. While a product
 * file is being processed, it uses five times its size. JSON that consists only of brackets uses fifteen times its
 * size. With both budgets constantly full of such bodies, the process used 550 MB if the JSON budget was 8 MiB, and 890
 * MB if it was 32 MiB (measured).
 */
export const createBodyBudgets = (): Record<BodyKind, BodyBudget> => ({
  json: createBodyBudget(bodyBudgetBytes.json),
  csv: createBodyBudget(bodyBudgetBytes.csv),
})

export function createBodyBudget(total: number): BodyBudget {
  const perBusiness = total * partOfBusiness
  const taken = createCountsByOwner()

  return {
    perBusiness,
    taken: taken.all,
    take(businessId, bytes) {
      if (taken.all() + bytes > total || taken.of(businessId) + bytes > perBusiness) return null
      taken.add(businessId, bytes)
      return createBodyMemory(bytes, (freed) => taken.add(businessId, -freed))
    },
  }
}

/** Returns the memory for a body that does not count towards the budget. */
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
