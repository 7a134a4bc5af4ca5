import type { Endpoint } from '../../endpoints/endpoint.ts'

/**
 * The endpoint of an attempt, with its business and its origin, because a slot counts towards the limits of all three.
 * `origin` is the host and port of the endpoint's URL.
 */
export interface SlotOwner extends Pick<Endpoint, 'businessId' | 'health'> {
  endpointId: string
  origin: string
}

export interface Slot {
  /**
   * Counts the body of the attempt. If the business or the process would then have too many characters in flight,
   * returns false without counting the body.
   */
  count(body: string): boolean
  /**
   * Frees the slot. Further calls do nothing. `delivered` states whether the attempt succeeded, and is null if no
   * attempt was made.
   */
  free(delivered: boolean | null): void
}

export interface SlotClock {
  elapsedMs(): number
  /** Calls `act` after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, act: () => unknown): () => void
}
