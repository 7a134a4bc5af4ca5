import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode, Refusal } from '../../errors.ts'

/** A response object. Express adds `locals` when it starts to handle the request. */
export type Reply = ServerResponse & { locals?: { requestId?: string; hungUp?: HungUp } }

/** An error response that was written to the connection in place of the reply. `at` is a `performance.now()` value. */
export interface HungUp {
  status: number
  code: ErrorCode
  at: number
}

/** The state of an open connection. All times are `performance.now()` values. */
export const createConnection = (socket: Socket) => ({
  socket,
  /** The reply to the request that is being served or, if there is none, to the last request that was served. */
  current: null as Reply | null,
  /** The reply to the newest request, which may still be waiting. */
  latest: null as Reply | null,
  /** The number of requests that are waiting for the current request to complete. */
  waiting: 0,
  /** The time at which a check last found that bytes of the current request had arrived, and how many by then. */
  progressAt: 0,
  bytesSeen: 0,
  /** The time at which a check first found the current response being sent. Null until then. */
  sendingSince: null as number | null,
  /** The number of bytes written to the socket before the current response. */
  writtenBefore: 0,
  /** The time at which a check first found that all requests had been responded to. Null until then. */
  idleSince: null as number | null,
  /** The fault after which the connection accepts no further requests. Null if there is none. */
  fault: null as Refusal | null,
  /** The time at which the connection's final response was written. Null until then. */
  endedAt: null as number | null,
})

export type Connection = ReturnType<typeof createConnection>
