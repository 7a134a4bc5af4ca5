import type { ServerResponse } from 'node:http'
import { unavailable } from '../platform/errors.ts'
import { type Capacity, type CapacityCost, type HeldShare, readWaitMs } from './capacity.ts'

export const uncountedBytes = 16 * 1024
const stalledMs = 1_000

interface Unread {
  businessId: string
  response: ServerResponse
  held: HeldShare
  bytes: number
  /** When the client last read. Null while the response is being built. */
  movedAt: number | null
}

/** The worst cases are nested empty arrays and very short CSV cells. */
export const memoryPerBodyByte = { json: 24, csv: 5 } as const

export type BodyFormat = keyof typeof memoryPerBodyByte

/** The memory is freed once all work passed to this function is done. */
type During = <T>(work: () => Promise<T>) => Promise<T>

export interface BodyMemory {
  isLarge: boolean
  during: During
  keep(bytes: number): void
}

export interface ResponseMemory {
  held: HeldShare
  during: During
  built(bytes: number): void
  wasRead(bytes: number): void
}

export type RequestMemory = ReturnType<typeof createRequestMemory>

export function createRequestMemory(capacity: Capacity) {
  const unread = new Set<Unread>()
  const maxBusinessBytes = capacity.limit('memory')

  function giveBack(one: Unread): void {
    unread.delete(one)
    one.held.resize({ memory: 0 })
  }

  /** Returns false if no response has stalled for `forMs`. */
  function closeStalled(businessId: string, forMs: number): boolean {
    let latest = performance.now() - forMs
    let oldest: Unread | null = null
    for (const one of unread)
      if (one.businessId === businessId && one.movedAt !== null && one.movedAt <= latest) {
        latest = one.movedAt
        oldest = one
      }
    if (oldest === null) return false
    giveBack(oldest)
    oldest.response.destroy()
    return true
  }

  /** If memory is full, closes stalled responses of businesses using more. */
  function closeForOthers(businessId: string, cost: CapacityCost): void {
    for (;;) {
      const block = capacity.blockOf([businessId], cost)
      const largest = capacity.largest('memory')
      if (block?.name !== 'memory' || block.level !== null || largest === null) return
      if (capacity.held('memory', largest) <= capacity.held('memory', businessId)) return
      if (!closeStalled(largest, stalledMs)) return
    }
  }

  function takeNow(businessId: string, cost: CapacityCost): HeldShare | null {
    closeForOthers(businessId, cost)
    return capacity.takeNow([businessId], cost)
  }

  return {
    /** Throws RATE_LIMITED or, if all memory is used, SERVICE_UNAVAILABLE. */
    async reserve(
      businessId: string,
      wanted: CapacityCost,
      response: ServerResponse,
    ): Promise<ResponseMemory> {
      // A business's limit is enough for even the largest response.
      const cost = { ...wanted, memory: Math.min(wanted.memory ?? 0, maxBusinessBytes) }
      const held =
        takeNow(businessId, cost) ??
        (await capacity.take([businessId], cost, readWaitMs)) ??
        takeNow(businessId, cost)
      if (held === null) throw capacity.refusal([businessId], cost)
      const one: Unread = { businessId, response, held, bytes: cost.memory, movedAt: null }
      unread.add(one)
      const { begin, end, during } = createUsers(() => giveBack(one))
      begin()
      if (response.closed) {
        held.free()
        end()
        throw unavailable()
      }
      response.once('close', end)
      const resize = (bytes: number): void => {
        one.movedAt = performance.now()
        one.bytes = bytes
        if (unread.has(one)) held.resize({ memory: bytes })
      }
      return {
        held,
        during,
        built: (bytes) => resize(bytes > uncountedBytes ? bytes : 0),
        wasRead: (bytes) => resize(Math.max(0, one.bytes - bytes)),
      }
    },
    /** Never refuses, because the write has already happened. */
    count(businessId: string, bytes: number, response: ServerResponse): void {
      if (bytes <= uncountedBytes || response.closed) return
      const held = capacity.force([businessId], { memory: bytes })
      const one: Unread = { businessId, response, held, bytes, movedAt: null }
      unread.add(one)
      response.once('close', () => giveBack(one))
      while (capacity.held('memory', businessId) > maxBusinessBytes && closeStalled(businessId, 0));
      one.movedAt = performance.now()
    },
    /** Returns null if too little memory is left. Bodies never wait. */
    body(businessId: string, kind: BodyFormat, bytes: number): BodyMemory | null {
      const held = takeNow(businessId, { memory: bytes * memoryPerBodyByte[kind] })
      return held && bodyMemory(held, kind)
    },
    bodyRefusal(businessId: string, kind: BodyFormat, bytes: number) {
      const memory = bytes * memoryPerBodyByte[kind]
      const limit = Math.floor(maxBusinessBytes / memoryPerBodyByte[kind])
      return capacity.refusal([businessId], { memory }, { ...bodiesRefusal, limit })
    },
  }
}

const bodiesRefusal = {
  scope: 'bodies',
  message: 'Your business is sending too many large bodies at once. Wait for the running requests to finish.',
} as const

const bodyMemory = (held: HeldShare, kind: BodyFormat): BodyMemory => ({
  isLarge: true,
  during: createUsers(held.free).during,
  keep: (bytes) => void held.resize({ memory: bytes > uncountedBytes ? bytes * memoryPerBodyByte[kind] : 0 }),
})

export const smallBodyMemory: BodyMemory = { isLarge: false, during: (work) => work(), keep: () => undefined }

function createUsers(onEnd: () => void) {
  let users = 0
  const begin = (): void => void (users += 1)
  const end = (): void => {
    users -= 1
    if (users === 0) onEnd()
  }
  return {
    begin,
    end,
    async during<T>(work: () => Promise<T>): Promise<T> {
      begin()
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}
