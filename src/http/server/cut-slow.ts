import { refuse } from '../../errors.ts'
import type { Connection } from './connection.ts'
import type { HangUp } from './hang-up.ts'
import { endUnfinished } from './parser-fault.ts'
import type { Timeouts } from './timeouts.ts'

/**
 * The slowest rate at which a client may read a response, in bytes per second. Even the slowest mobile networks are
 * faster, and any customer page loads over them within the grace period. A client that reads more slowly is tying up
 * memory or a MongoDB cursor on purpose.
 */
export const minResponseRate = 16 * 1024

/**
 * Closes the connection if the client is sending or reading too slowly or has been idle for too long. `at` is the
 * current `performance.now()` value.
 */
export function cutSlow(connection: Connection, hangUp: HangUp, timeouts: Timeouts, at: number): void {
  const { socket, current, endedAt } = connection
  if (endedAt !== null) {
    if (at - endedAt > timeouts.lingerMs) socket.destroy()
  } else if (current !== null && !current.req.complete) {
    // A paused socket waits for this process, not for the client.
    if (socket.bytesRead !== connection.bytesSeen || socket.isPaused()) {
      connection.bytesSeen = socket.bytesRead
      connection.progressAt = at
    } else if (at - connection.progressAt > timeouts.bodyStallMs)
      endUnfinished(connection, hangUp, refuse('REQUEST_TIMEOUT'))
  } else if (current?.headersSent && !current.writableFinished) {
    // Node.js closes the socket if no progress is made for this long. After the response, Node.js restores its own
    // timeout.
    if (socket.timeout !== timeouts.responseIdleMs) socket.setTimeout(timeouts.responseIdleMs)
    connection.sendingSince ??= at
    const seconds = (at - connection.sendingSince - timeouts.responseGraceMs) / 1000
    // `bytesWritten` includes buffered bytes, so a response that is written in one piece is allowed enough time for all
    // its bytes. If the buffer is empty, the client is not slow but waiting for this process.
    const written = socket.bytesWritten - connection.writtenBefore
    if (socket.writableLength > 0 && written < seconds * minResponseRate) socket.destroy()
  } else if (current?.closed && connection.waiting === 0) {
    // Idle time is measured here, because Node.js restarts its own timeout whenever it receives an empty line. The
    // limit includes `headersMs`, because the headers of a request that starts in time may take that long to arrive.
    connection.idleSince ??= at
    if (at - connection.idleSince > timeouts.keepAliveMs + timeouts.headersMs) socket.destroy()
  }
}
