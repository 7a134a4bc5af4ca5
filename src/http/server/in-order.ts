import { refuse } from '../../errors.ts'
import type { Connection, Reply } from './connection.ts'
import type { HangUp } from './hang-up.ts'

/**
 * The maximum number of requests that may be waiting on one connection. Each waiting request uses a few KB. No real
 * client sends more requests before it reads the responses.
 */
export const maxWaiting = 100

/**
 * Starts a request once the response to the previous request on the connection has been sent. Node.js would otherwise
 * start all requests immediately. Their responses would then pile up, and requests would run even after a response that
 * closes the connection.
 */
export function oneAtATime(connection: Connection, reply: Reply, hangUp: HangUp, begin: () => void): void {
  // After a fault, Node.js may still parse requests from bytes that arrived together with the faulty ones.
  if (connection.fault !== null || connection.endedAt !== null) return
  if (connection.waiting === maxWaiting) {
    return giveUp(connection, hangUp)
  }
  const start = () => {
    connection.current = reply
    // After a fault, the missing part of an incomplete request will never arrive.
    if (connection.fault !== null && !reply.req.complete) return hangUp(connection, connection.fault)
    connection.progressAt = performance.now()
    connection.bytesSeen = connection.socket.bytesRead
    connection.sendingSince = null
    connection.writtenBefore = connection.socket.bytesWritten
    connection.idleSince = null
    begin()
  }
  connection.waiting += 1
  afterResponses(connection, () => {
    connection.waiting -= 1
    start()
  })
  connection.latest = reply
}

/**
 * Calls `act` once responses to all requests received so far have been sent. Does not call `act` if one of these
 * responses closes the connection.
 */
export function afterResponses({ latest, socket }: Connection, act: () => void): void {
  if (latest === null || latest.closed) act()
  else latest.once('close', () => socket.writable && act())
}

/**
 * Stops reading from the connection, and writes an error response after the waiting requests have been responded to.
 */
function giveUp(connection: Connection, hangUp: HangUp): void {
  const { socket } = connection
  socket.pause()
  // Node.js calls this method to resume a socket when it reads a body (`readStart`) and after a response
  // (`socketOnDrain`). Neither is needed here, because the waiting requests have arrived completely and the connection
  // will soon be closed. A test checks the number of bytes read, in order to detect whether a later version of Node.js
  // resumes sockets in a different way.
  socket.resume = () => socket
  const refusal = refuse('RATE_LIMITED', {
    message: 'Too many requests are waiting on this connection. Wait for responses before you send more.',
    details: { scope: 'connection', limit: maxWaiting },
    retryAfterSeconds: 1,
  })
  connection.fault = refusal
  afterResponses(connection, () => hangUp(connection, refusal))
}
