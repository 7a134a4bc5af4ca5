import { refuse } from '../../errors.ts'
import type { Connection, Reply } from './connection.ts'
import type { HangUp } from './hang-up.ts'

/**
 * The most requests that wait on a connection. Each takes a few KB. No real client sends more before it reads
 * responses.
 */
export const maxWaiting = 100

/**
 * Begins a request after the response to the previous request on its connection. Node would begin all of them at once.
 * Their responses would pile up, and requests would run even after a response that closes the connection.
 */
export function oneAtATime(connection: Connection, reply: Reply, hangUp: HangUp, begin: () => void): void {
  // Node may still find requests in the bytes that arrived with the fault.
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

/** Calls `act` once every request so far has its response. Never calls it if the connection closes with one of them. */
export function afterResponses({ latest, socket }: Connection, act: () => void): void {
  if (latest === null || latest.closed) act()
  else latest.once('close', () => socket.writable && act())
}

/** Stops reading from the connection, and writes a refusal after the responses to the waiting requests. */
function giveUp(connection: Connection, hangUp: HangUp): void {
  const { socket } = connection
  socket.pause()
  // Node resumes a socket through this method when it reads a body (`readStart`) and after a response
  // (`socketOnDrain`). The waiting requests have arrived completely, and the connection closes soon. A test of the
  // bytes read shows whether a later version of Node resumes in another way.
  socket.resume = () => socket
  const refusal = refuse('RATE_LIMITED', {
    message: 'Too many requests are waiting on this connection. Wait for responses before you send more.',
    details: { scope: 'connection', limit: maxWaiting },
    retryAfterSeconds: 1,
  })
  connection.fault = refusal
  afterResponses(connection, () => hangUp(connection, refusal))
}
