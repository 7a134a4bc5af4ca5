import type { Endpoint } from '../../endpoints/endpoint.ts'

/**
 * The endpoint of an attempt, with everything that the attempt's slot counts against. `origin` is the URL's host and
 * port.
 */
export interface SlotOwner extends Pick<Endpoint, 'businessId' | 'health'> {
  endpointId: string
  origin: string
}

export interface Slot {
  /**
   * Counts the body. If the business or the process would have too many characters in flight, counts nothing and
   * returns false.
   */
  count(body: string): boolean
  /**
   * Frees the slot. Further calls do nothing. `delivered` is whether the attempt succeeded, or null if no attempt was
   * made.
   */
  free(delivered: boolean | null): void
}

export interface SlotClock {
  elapsedMs(): number
  /** Calls `act` after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, act: () => unknown): () => void
}
