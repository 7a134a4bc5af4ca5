import type { Socket } from 'node:net'
import { Client } from 'undici'

/** One open socket with an HTTP client of its own; `origin` is whom it was opened and judged for. */
export interface Connection {
  origin: string
  client: Client
  socket: Socket
  /** The bytes of the network: the socket itself, or what TLS is read from. */
  raw: Socket
  openedAt: number
  /** What had come from the network when its last answer ended, in bytes. */
  readBefore: number
  /** Unused for longer, its receiver may be closing it just now. */
  mayIdleMs: number
  idleSince: number
}

/**
 * For a receiver that says nothing of keep-alive: shorter than the 5 s after which many close, because a connection that is
 * closed as it is used again costs an attempt.
 */
const idleMs = 4_000

/** What a receiver may ask for at most by `Keep-Alive: timeout=…`. */
const longestIdleMs = 60_000

/** What the way to a receiver and back may take: so much earlier than it says we stop using a connection. */
const idleMarginMs = 2_000

/** How long a connection may wait for its next use after an answer with this `Keep-Alive` header. */
export function mayIdleFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, longestIdleMs)
}

/** Node's own limit for the headers of an answer, whatever NODE_OPTIONS says. */
const mostHeaderBytes = 16 * 1024

/** One answer with its framing: ends floods that the HTTP parser passes over (1xx, chunk extensions, a long status line), and what TLS itself is sent. */
const mostWireBytes = 256 * 1024

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** A client for exactly this socket: asked to connect once more, it says that the connection is gone. */
function clientFor(origin: string, socket: Socket): Client {
  let given = false
  return new Client(origin, {
    connect: (_options, callback) => {
      const gone = given ? coded('ECONNRESET', 'The connection is gone.') : null
      given = true
      queueMicrotask(() => (gone ? callback(gone, null) : callback(null, socket)))
    },
    // Idle timers that a dripping receiver outwits: the deadline of the attempt is the one that counts.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: mostHeaderBytes,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: longestIdleMs,
    keepAliveTimeoutThreshold: idleMarginMs,
  })
}

/** Makes a connection of a socket that is open and judged. */
export function connectionOver(origin: string, socket: Socket, raw = socket): Connection {
  const client = clientFor(origin, socket)
  const now = performance.now()
  const connection = {
    origin,
    client,
    socket,
    raw,
    openedAt: now,
    readBefore: raw.bytesRead,
    mayIdleMs: idleMs,
    idleSince: now,
  }
  raw.on(raw === socket ? 'readable' : 'data', () => {
    const read = raw.bytesRead - connection.readBefore
    if (read > mostWireBytes) socket.destroy(coded('ANSWER_TOO_LARGE', 'The answer does not end.'))
  })
  return connection
}

/** Closes it at once. A client that has sent nothing yet does not know its socket, hence both. */
export function closeConnection({ client, socket }: Connection): void {
  void client.destroy()
  socket.destroy()
}
