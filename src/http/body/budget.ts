import { createCountsByOwner } from '../../process/counts-by-owner.ts'

/** The memory reserved for one body. It is 0 for a small body. */
export interface BodyMemory {
  bytes: number
  /** Releases all but `bytes`, once the size of the body is known. */
  keep(bytes: number): void
  /** Runs work that needs the body. Releases the memory when all such work has ended, even if it failed. */
  use<T>(work: () => Promise<T>): Promise<T>
}

/** Limits the bytes of bodies that a process holds at once, in all and for one business. */
export interface BodyBudget {
  perBusiness: number
  taken(): number
  /** Returns null if the bytes are not free. */
  take(businessId: string, bytes: number): BodyMemory | null
}

/**
 * Bodies up to this size are not counted and never refused. Nearly every create, order and stock change is smaller.
 * 10 000 connections hold at most 160 MB of them.
 */
export const smallBodyBytes = 16 * 1024

/** JSON has a budget of its own, because files take seconds to arrive. */
export const bodyBudgetBytes = { json: 16 * 1024 * 1024, csv: 64 * 1024 * 1024 } as const

export type BodyKind = keyof typeof bodyBudgetBytes

/** The share of one business, over all its keys: sixteen of the largest JSON bodies, or two of the largest files. */
export const partOfBusiness = 1 / 4

/**
 * Creates the budgets of a process that has 1 GB and takes 150 MB without bodies. While it is processed, a file of
 * products takes five times its size, and JSON of nothing but brackets fifteen times. With both budgets constantly full
 * of such bodies, the process took 550 MB with 8 MiB for JSON, and 890 MB with 32 MiB (measured).
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

/** Returns the memory of a body that is not counted. */
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
