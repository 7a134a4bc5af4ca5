import { refuse } from '../../errors.ts'
import { type Connection, hangUp } from './connection.ts'
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
export function cutSlow(connection: Connection, timeouts: Timeouts, at: number): void {
  cutSlowBody(connection, timeouts, at)
  cutSlowReader(connection, timeouts, at)
  cutIdle(connection, timeouts, at)
}

function cutSlowBody(connection: Connection, { bodyStallMs }: Timeouts, at: number): void {
  const { socket, latest } = connection
  // A paused socket waits for this process, not for the client.
  if (socket.bytesRead !== connection.bytesRead || socket.isPaused()) {
    connection.bytesRead = socket.bytesRead
    connection.progressAt = at
  } else if (latest?.req.complete === false && at - connection.progressAt > bodyStallMs)
    hangUp(connection, refuse('REQUEST_TIMEOUT'))
}

function cutSlowReader(connection: Connection, { responseIdleMs, responseGraceMs }: Timeouts, at: number): void {
  const { socket, due } = connection
  const sending = due[0]?.headersSent ? due[0] : null
  if (sending !== connection.sending) {
    connection.sending = sending
    connection.sendingSince = at
    connection.writtenBefore = connection.bytesWritten
    // While it is set, Node.js closes the socket if the client reads nothing for this long.
    if (due.length > 0) socket.setTimeout(sending === null ? 0 : responseIdleMs)
  }
  connection.bytesWritten = socket.bytesWritten
  if (sending === null) return
  const seconds = (at - connection.sendingSince - responseGraceMs) / 1000
  // `bytesWritten` includes buffered bytes, so a response that is written in one piece is allowed enough time for all
  // its bytes. If the buffer is empty, the client is not slow but waiting for this process.
  const written = socket.bytesWritten - connection.writtenBefore
  if (socket.writableLength > 0 && written < seconds * minResponseRate) socket.destroy()
}

function cutIdle(connection: Connection, { lingerMs, keepAliveMs, headersMs }: Timeouts, at: number): void {
  if (connection.due.length > 0) return
  // Idle time is measured here, because Node.js restarts its own timeout whenever it receives an empty line. The limit
  // includes `headersMs`, because the headers of a request that starts in time may take that long to arrive.
  connection.idleSince ??= at
  const limitMs = connection.socket.writableEnded ? lingerMs : keepAliveMs + headersMs
  if (at - connection.idleSince > limitMs) connection.socket.destroy()
}
