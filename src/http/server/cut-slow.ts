import { refuse } from '../../errors.ts'
import type { Connection } from './connection.ts'
import type { HangUp } from './hang-up.ts'
import { endUnfinished } from './parser-fault.ts'
import type { Timeouts } from './timeouts.ts'

/**
 * The slowest allowed upload rate for a body, in bytes per second. A create request is a few hundred bytes long and no
 * network is slower than this, so a client that sends more slowly does so on purpose. A body that arrives faster is
 * limited only by the timeout for the whole request.
 */
export const minRequestRate = 500

/**
 * The slowest rate at which a client may read a response, in bytes per second. Even the slowest mobile networks are
 * faster, and they load any customer page within the grace period. A client that reads more slowly is holding memory or
 * a MongoDB cursor on purpose.
 */
export const minResponseRate = 16 * 1024

/** Closes a connection that its client is keeping open needlessly. `at` is the current value of `performance.now()`. */
export function cutSlow(connection: Connection, hangUp: HangUp, timeouts: Timeouts, at: number): void {
  const { socket, current, endedAt } = connection
  if (endedAt !== null) {
    if (at - endedAt > timeouts.lingerMs) socket.destroy()
  } else if (current !== null && !current.req.complete) {
    const seconds = (at - connection.begunAt - timeouts.bodyGraceMs) / 1000
    const isSlow = socket.bytesRead - connection.bytesBefore < seconds * minRequestRate
    if (isSlow) endUnfinished(connection, hangUp, refuse('REQUEST_TIMEOUT'))
  } else if (current?.headersSent && !current.writableFinished) {
    // Node closes the socket after this much time without progress. After the response, Node sets its own timeout
    // again.
    if (socket.timeout !== timeouts.responseIdleMs) socket.setTimeout(timeouts.responseIdleMs)
    connection.sendingSince ??= at
    const seconds = (at - connection.sendingSince - timeouts.responseGraceMs) / 1000
    // `bytesWritten` includes buffered bytes, so a response written in one piece is allowed the time for all its bytes.
    // If the buffer is empty, the client is waiting for this process.
    const written = socket.bytesWritten - connection.writtenBefore
    if (socket.writableLength > 0 && written < seconds * minResponseRate) socket.destroy()
  } else if (current?.closed && connection.waiting === 0) {
    // Node restarts its timeout whenever it receives an empty line, so idle time is measured here. A request that
    // started in time has sent all its headers by the end of this period.
    connection.idleSince ??= at
    if (at - connection.idleSince > timeouts.keepAliveMs + timeouts.headersMs) socket.destroy()
  }
}
