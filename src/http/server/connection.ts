import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode, Refusal } from '../../errors.ts'

/** Express adds `locals` once it begins the request. */
export type Reply = ServerResponse & { locals?: { requestId?: string; hungUp?: HungUp } }

/** The response that was written on the connection in place of the reply. `at` is of `performance.now()`. */
export interface HungUp {
  status: number
  code: ErrorCode
  at: number
}

/** What is known of a connection while it stands. Instants are of `performance.now()`. */
export interface Connection {
  readonly socket: Socket
  /** The reply to the request whose turn it is, or was last. */
  current: Reply | null
  /** The reply to the newest request, which may still wait for its turn. */
  latest: Reply | null
  /** How many requests wait for their turn. */
  waiting: number
  /** When the current turn began, and how many bytes had come by then. */
  begunAt: number
  bytesBefore: number
  /** When a check first saw that the current response is being sent; null before that. */
  sendingSince: number | null
  /** Bytes written to the socket before the current response. */
  writtenBefore: number
  /** Since when, as far as was looked, every request is answered. */
  idleSince: number | null
  /** Why nothing more that comes here is a request. */
  fault: Refusal | null
  /** When we had said our last word. */
  endedAt: number | null
}

export const createConnection = (socket: Socket): Connection => ({
  socket,
  current: null,
  latest: null,
  waiting: 0,
  begunAt: 0,
  bytesBefore: 0,
  sendingSince: null,
  writtenBefore: 0,
  idleSince: null,
  fault: null,
  endedAt: null,
})
