import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Meter } from './meter.ts'
import { meterReads } from './meter-reads.ts'

/** An open socket with its own HTTP client. It must only be used for the `origin` for which its address was checked. */
export interface Connection {
  origin: string
  client: Client
  socket: Socket
  /** The network socket: either `socket` itself or, with TLS, the socket beneath it. */
  raw: Socket
  openedAt: number
  /** The meter of the business for which the response is being read. */
  meter: Meter | null
  /** The number of bytes that had been read from the network when the previous response ended. */
  readBefore: number
  /** How long the connection may stay unused. After this time, the endpoint may be about to close it. */
  mayIdleMs: number
  idleSince: number
}

/**
 * How long a connection may stay idle if the endpoint sends no `Keep-Alive` header. Many servers close idle connections
 * after 5 s. The limit is shorter, because if a connection closes while it is being reused, the attempt fails.
 */
const idleMs = 4_000

/** The maximum idle time, even if an endpoint allows more with `Keep-Alive: timeout=…`. */
const maxIdleMs = 60_000

/**
 * The connection is not reused during this last part of the endpoint's keep-alive timeout, which allows for a network
 * round trip.
 */
const idleMarginMs = 2_000

/** Returns how many milliseconds a connection may stay unused after a response with this `Keep-Alive` header. */
export function mayIdleFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, maxIdleMs)
}

/** The limit for response headers. It equals Node's default, but is independent of NODE_OPTIONS. */
const maxHeaderBytes = 16 * 1024

/**
 * The limit for a single response, including its framing. It stops floods of data that the HTTP parser ignores, such as
 * 1xx responses, chunk extensions, a long status line or TLS records.
 */
const maxWireBytes = 64 * 1024

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/**
 * Returns a client that uses only this socket. If the socket is gone, the client fails rather than opening a second
 * connection.
 */
function clientFor(origin: string, socket: Socket): Client {
  let isGiven = false
  return new Client(origin, {
    connect: (_options, callback) => {
      const gone = isGiven ? coded('ECONNRESET', 'The connection is gone.') : null
      isGiven = true
      queueMicrotask(() => (gone ? callback(gone, null) : callback(null, socket)))
    },
    // Undici's two timeouts start anew whenever data arrives, so an endpoint that sends single bytes could keep
    // extending them. They are switched off, because the attempt has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: maxIdleMs,
    keepAliveTimeoutThreshold: idleMarginMs,
  })
}

/** Creates a connection from an open socket whose address has been checked. */
export function connectionOver(origin: string, socket: Socket, raw = socket): Connection {
  const client = clientFor(origin, socket)
  const now = performance.now()
  const connection: Connection = {
    origin,
    client,
    socket,
    raw,
    openedAt: now,
    meter: null,
    readBefore: raw.bytesRead,
    mayIdleMs: idleMs,
    idleSince: now,
  }
  raw.on(raw === socket ? 'readable' : 'data', () => {
    const read = raw.bytesRead - connection.readBefore
    if (read > maxWireBytes) socket.destroy(coded('RESPONSE_TOO_LARGE', 'The response does not end.'))
  })
  meterReads(client, socket, () => connection.meter)
  return connection
}

/**
 * Closes the connection immediately. The socket has to be destroyed separately, because a client does not own its
 * socket until it sends something.
 */
export function closeConnection({ client, socket }: Connection): void {
  void client.destroy()
  socket.destroy()
}
