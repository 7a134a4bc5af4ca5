import { createCountsByOwner } from '../../process/counts-by-owner.ts'

/** Bytes of a room that one body has. Without any it may still be a small one. */
export interface BodyMemory {
  bytes: number
  /** What came is smaller than what might have come: the rest is given back. */
  keep(bytes: number): void
  /** Runs work that needs the body. The memory is given back when all work so begun has ended, in whatever way. */
  use<T>(work: () => Promise<T>): Promise<T>
}

/** How many bytes of bodies a process holds at once, in all and for one business. */
export interface BodyBudget {
  perBusiness: number
  taken(): number
  /** Null where so much is not free. */
  take(businessId: string, bytes: number): BodyMemory | null
}

/**
 * Bodies of up to so many bytes take no room and are never refused for it: nearly every create, order and stock change. 10 000 connections
 * can hold 160 MB of them.
 */
export const smallBodyBytes = 16 * 1024

/** For JSON a room of its own, for files take seconds to come. */
export const bodyBudgetBytes = { json: 16 * 1024 * 1024, csv: 64 * 1024 * 1024 } as const

export type BodyKind = keyof typeof bodyBudgetBytes

/** One business gets this part of a room, over all its keys, so it never shuts out others: sixteen of the largest JSON, or two of the largest files. */
export const partOfBusiness = 1 / 4

/**
 * The rooms of a process of 1 GB, which takes 150 MB without them. Worked on, files of products take five times their bytes, and JSON of nothing
 * but brackets fifteen times: with both rooms full of such again and again it stayed at 550 MB with 8 MiB for JSON, and at 890 with 32 (measured).
 */
export const createBodyBudgets = (): Record<BodyKind, BodyBudget> => ({
  json: createBodyBudget(bodyBudgetBytes.json),
  csv: createBodyBudget(bodyBudgetBytes.csv),
})

export function createBodyBudget(most: number): BodyBudget {
  const perBusiness = most * partOfBusiness
  const taken = createCountsByOwner()

  return {
    perBusiness,
    taken: taken.all,
    take(businessId, bytes) {
      if (taken.all() + bytes > most || taken.of(businessId) + bytes > perBusiness) return null
      taken.add(businessId, bytes)
      return createBodyMemory(bytes, (freed) => taken.add(businessId, -freed))
    },
  }
}

/** The memory of a body that needs no room. */
export const smallBody = (): BodyMemory => createBodyMemory(0, () => undefined)

function createBodyMemory(bytes: number, giveBack: (freed: number) => void): BodyMemory {
  let users = 0
  const memory: BodyMemory = {
    bytes,
    keep(needed) {
      if (needed >= memory.bytes) return
      giveBack(memory.bytes - needed)
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
