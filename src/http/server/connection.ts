import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode, Refusal } from '../../errors.ts'

/** Express adds `locals` once it begins the request. */
export type Reply = ServerResponse & { locals?: { requestId?: string; hungUp?: HungUp } }

/** The response that was written on the connection in place of the reply. `at` is on `performance.now()`. */
export interface HungUp {
  status: number
  code: ErrorCode
  at: number
}

/** The state of an open connection. Its times are values of `performance.now()`. */
export interface Connection {
  readonly socket: Socket
  /** The reply to the request that is being served, or was served last. */
  current: Reply | null
  /** The reply to the newest request, which may still wait. */
  latest: Reply | null
  /** The number of requests that wait for the current one. */
  waiting: number
  /** When the current request began, and the number of bytes received before it. */
  begunAt: number
  bytesBefore: number
  /** When a check first saw that the current response is being sent; null before that. */
  sendingSince: number | null
  /** Bytes written to the socket before the current response. */
  writtenBefore: number
  /** When a check first saw that every request has its response; null before that. */
  idleSince: number | null
  /** The fault after which nothing on this connection is read as a request; null if there is none. */
  fault: Refusal | null
  /** When the last response was written; null before that. */
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
