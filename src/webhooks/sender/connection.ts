import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Meter } from './meter.ts'
import { meterReads } from './meter-reads.ts'

/** An open socket with its own HTTP client. It may be used only for the `origin` for which its address was checked. */
export interface Connection {
  origin: string
  client: Client
  socket: Socket
  /** The network socket: `socket` itself, or the socket below TLS. */
  raw: Socket
  openedAt: number
  /** The meter of the business whose response is read. */
  meter: Meter | null
  /** The number of bytes read from the network up to the end of the last response. */
  readBefore: number
  /** How long the connection may stay unused. After that, the endpoint may be closing it. */
  mayIdleMs: number
  idleSince: number
}

/**
 * How long a connection may stay idle if the endpoint sends no `Keep-Alive` header. Many servers close idle connections
 * after 5 s. This limit is shorter, because a connection that closes while it is being reused costs an attempt.
 */
const idleMs = 4_000

/** The highest value that an endpoint can set by `Keep-Alive: timeout=…`. */
const maxIdleMs = 60_000

/**
 * The connection is not used during the last part of the endpoint's keep-alive timeout. This allows for a network round
 * trip.
 */
const idleMarginMs = 2_000

/** Returns how long a connection may stay unused after a response with this `Keep-Alive` header. */
export function mayIdleFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, maxIdleMs)
}

/** Node's default limit for response headers, whatever NODE_OPTIONS sets. */
const maxHeaderBytes = 16 * 1024

/**
 * The limit for one response with its framing. It stops floods that the HTTP parser ignores (1xx, chunk extensions, a
 * long status line, TLS records).
 */
const maxWireBytes = 64 * 1024

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** Returns a client for this socket only. The client fails instead of opening a second connection. */
function clientFor(origin: string, socket: Socket): Client {
  let isGiven = false
  return new Client(origin, {
    connect: (_options, callback) => {
      const gone = isGiven ? coded('ECONNRESET', 'The connection is gone.') : null
      isGiven = true
      queueMicrotask(() => (gone ? callback(gone, null) : callback(null, socket)))
    },
    // These two are idle timers. An endpoint that sends byte by byte keeps resetting them, so the deadline of the
    // attempt replaces them.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: maxIdleMs,
    keepAliveTimeoutThreshold: idleMarginMs,
  })
}

/** Creates a connection from an open socket whose address was checked. */
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
 * Closes the connection immediately. Destroys the socket too, because a client that has sent nothing does not have it
 * yet.
 */
export function closeConnection({ client, socket }: Connection): void {
  void client.destroy()
  socket.destroy()
}
