import { refuse } from '../../errors.ts'
import type { Connection, Reply } from './connection.ts'
import type { HangUp } from './hang-up.ts'

/** Nobody's client sends so many requests ahead of their answers; each that waits holds some KB. */
export const maxWaiting = 100

/**
 * Begins a request when the answer of the one before it on its connection is out. Node would begin all of them at once: the work, the
 * answers that nobody takes yet, and also what follows an answer that ends the connection, which nobody may execute.
 */
export function oneAtATime(connection: Connection, reply: Reply, hangUp: HangUp, begin: () => void): void {
  // Whatever Node still finds in bytes that came with the fault.
  if (connection.fault !== null || connection.endedAt !== null) return
  if (connection.waiting === maxWaiting) {
    return giveUp(connection, hangUp)
  }
  const turn = () => {
    // The rest of it will never come.
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
    turn()
  })
  connection.latest = reply
}

/** Acts once every request so far is answered; never where the connection ended with one of the answers. */
export function afterResponses({ latest, socket }: Connection, act: () => void): void {
  if (latest === null || latest.closed) act()
  else latest.once('close', () => socket.writable && act())
}

/** Reads no further, and says so in its place. */
function giveUp(connection: Connection, hangUp: HangUp): void {
  const { socket } = connection
  socket.pause()
  // Node's http calls this very method where a body is to be read (`readStart`) and an answer is out (`socketOnDrain`); what is still served has
  // long come whole. It stays so until the connection ends, soon. Should Node resume by another way, the test on the bytes read tells.
  socket.resume = () => socket
  const refusal = refuse('RATE_LIMITED', {
    message: 'Too many requests are waiting on this connection. Wait for responses before you send more.',
    details: { scope: 'connection', limit: maxWaiting },
    retryAfterSeconds: 1,
  })
  connection.fault = refusal
  afterResponses(connection, () => hangUp(connection, refusal))
}
