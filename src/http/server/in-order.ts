import { refuse } from '../../errors.ts'
import type { Connection, Reply } from './connection.ts'
import type { HangUp } from './hang-up.ts'

/**
 * The maximum number of requests that may be waiting on a connection. Each uses a few KB. No real client sends more
 * before it reads the responses.
 */
export const maxWaiting = 100

/**
 * Starts a request once the previous request on its connection has its response. Node itself would start all of them
 * immediately. Their responses would pile up, and requests would run even after a response that closes the connection.
 */
export function oneAtATime(connection: Connection, reply: Reply, hangUp: HangUp, begin: () => void): void {
  // After a fault, Node may still find requests in the bytes that arrived with it.
  if (connection.fault !== null || connection.endedAt !== null) return
  if (connection.waiting === maxWaiting) {
    return giveUp(connection, hangUp)
  }
  const start = () => {
    // The rest of the request will never arrive.
    if (connection.fault !== null && !reply.req.complete) return hangUp(connection, connection.fault)
    connection.current = reply
    connection.begunAt = performance.now()
    connection.bytesBefore = connection.socket.bytesRead
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
 * Calls `act` once every request received so far has its response. Does not call `act` if the connection closes along
 * with one of those responses.
 */
export function afterResponses({ latest, socket }: Connection, act: () => void): void {
  if (latest === null || latest.closed) act()
  else latest.once('close', () => socket.writable && act())
}

/** Stops reading from the connection, and writes an error response after the responses to the waiting requests. */
function giveUp(connection: Connection, hangUp: HangUp): void {
  const { socket } = connection
  socket.pause()
  // Node calls this method to resume a socket when it reads a body (`readStart`) and after a response
  // (`socketOnDrain`). Neither is needed here, because the waiting requests have arrived completely and the connection
  // will close soon. A test checks the number of bytes read, and so detects whether a later version of Node resumes
  // sockets in another way.
  socket.resume = () => socket
  const refusal = refuse('RATE_LIMITED', {
    message: 'Too many requests are waiting on this connection. Wait for responses before you send more.',
    details: { scope: 'connection', limit: maxWaiting },
    retryAfterSeconds: 1,
  })
  connection.fault = refusal
  afterResponses(connection, () => hangUp(connection, refusal))
}
