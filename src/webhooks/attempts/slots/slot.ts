import type { Endpoint } from '../../endpoints/endpoint.ts'

/** The endpoint of an attempt, and what its slot counts for. `origin` is its host and port. */
export interface SlotOwner extends Pick<Endpoint, 'businessId' | 'health'> {
  endpointId: string
  origin: string
}

export interface Slot {
  /** Counts the body. Returns false, and counts nothing, if the business or the process has too many characters in flight. */
  count(body: string): boolean
  /** Gives the slot back. `delivered`: how the attempt went; null if there was none. */
  free(delivered: boolean | null): void
}

export interface SlotClock {
  elapsedMs(): number
  /** Calls back after `ms`, unless the returned function is called before. */
  after(ms: number, act: () => unknown): () => void
}
