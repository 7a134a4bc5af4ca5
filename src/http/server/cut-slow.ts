import { refuse } from '../../errors.ts'
import type { Connection } from './connection.ts'
import type { HangUp } from './hang-up.ts'
import { endUnfinished } from './parser-fault.ts'
import type { Timeouts } from './timeouts.ts'

/**
 * The lowest allowed upload rate of a body, in bytes per second. A create has a few hundred bytes and no network is
 * slower, so a client that sends less does so on purpose. A faster body has the time limit of a whole request.
 */
export const minRequestRate = 500

/**
 * The lowest allowed read rate of a response, in bytes per second. Even the slowest mobile networks are faster, and
 * load any customer page within the grace period. So a client that reads more slowly holds memory or a MongoDB cursor
 * on purpose.
 */
export const minResponseRate = 16 * 1024

/** Closes a connection that its client keeps without need. `at` is the current `performance.now()`. */
export function cutSlow(connection: Connection, hangUp: HangUp, timeouts: Timeouts, at: number): void {
  const { socket, current, endedAt } = connection
  if (endedAt !== null) {
    if (at - endedAt > timeouts.lingerMs) socket.destroy()
  } else if (current !== null && !current.req.complete) {
    const seconds = (at - connection.begunAt - timeouts.bodyGraceMs) / 1000
    const isSlow = socket.bytesRead - connection.bytesBefore < seconds * minRequestRate
    if (isSlow) endUnfinished(connection, hangUp, refuse('REQUEST_TIMEOUT'))
  } else if (current?.headersSent && !current.writableFinished) {
    // Node closes the socket after this time without progress, and sets its own timeout after the response.
    if (socket.timeout !== timeouts.responseIdleMs) socket.setTimeout(timeouts.responseIdleMs)
    connection.sendingSince ??= at
    const seconds = (at - connection.sendingSince - timeouts.responseGraceMs) / 1000
    // `bytesWritten` includes the buffer, so a response in one piece gets the time for all its bytes. If the buffer is
    // empty, the client waits for this process.
    const written = socket.bytesWritten - connection.writtenBefore
    if (socket.writableLength > 0 && written < seconds * minResponseRate) socket.destroy()
  } else if (current?.closed && connection.waiting === 0) {
    // Node restarts its timeout at an empty line, so idle time is measured here. A request that began in time has all
    // its headers by then.
    connection.idleSince ??= at
    if (at - connection.idleSince > timeouts.keepAliveMs + timeouts.headersMs) socket.destroy()
  }
}
