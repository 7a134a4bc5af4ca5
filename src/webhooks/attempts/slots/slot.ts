import type { Endpoint } from '../../endpoints/endpoint.ts'

/** An attempt's endpoint, with everything that its slot counts against. `origin` is the host and port. */
export interface SlotOwner extends Pick<Endpoint, 'businessId' | 'health'> {
  endpointId: string
  origin: string
}

export interface Slot {
  /**
   * Counts the body. Returns false and counts nothing if the business or the process has too many characters in flight.
   */
  count(body: string): boolean
  /**
   * Frees the slot. Calling it again does nothing. `delivered`: whether the attempt succeeded; null if there was no
   * attempt.
   */
  free(delivered: boolean | null): void
}

export interface SlotClock {
  elapsedMs(): number
  /** Calls `act` after `ms`. Returns a function that cancels the call. */
  after(ms: number, act: () => unknown): () => void
}
