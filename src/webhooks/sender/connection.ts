import type { Socket } from 'node:net'
import { Client } from 'undici'
import { skipInterimResponses } from '../../process/interim-responses.ts'
import type { Meter } from './meter.ts'

/** An open socket with its own HTTP client. It must only be used for the `origin` for which its address was checked. */
export interface Connection {
  origin: string
  client: Client
  socket: Socket
  /** The network socket. This is `socket` itself or, with TLS, the socket beneath it. */
  raw: Socket
  openedAt: number
  /** The meter of the business whose response is being read. */
  meter: Meter | null
  /** The number of bytes that had been read from the network when the previous response ended. */
  readBefore: number
  /**
   * How long the connection may stay idle before it must no longer be reused. After this time, the endpoint may be
   * about to close the connection.
   */
  mayIdleMs: number
  idleSince: number
}

/**
 * How long a connection may stay idle if the endpoint sends no `Keep-Alive` header. Many servers close idle connections
 * after 5 s. This limit is shorter, because an attempt fails if its connection is closed just as it is being reused.
 */
const idleMs = 4_000

/** The maximum idle time, even if an endpoint allows more with `Keep-Alive: timeout=…`. */
const maxIdleMs = 60_000

/**
 * A connection is not reused during this last part of the endpoint's keep-alive timeout. This margin allows for the
 * time that a request takes to reach the endpoint.
 */
const idleMarginMs = 2_000

/** Returns how many milliseconds a connection may stay idle after a response with this `Keep-Alive` header. */
export function mayIdleFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, maxIdleMs)
}

/** The maximum size of a response's headers. The value equals Node's default, but cannot be changed by NODE_OPTIONS. */
const maxHeaderBytes = 16 * 1024

/**
 * The maximum number of bytes of a single response that are processed, including all framing. This limit stops floods
 * of data that the HTTP parser ignores, such as 1xx responses, chunk extensions, a long status line or TLS records.
 */
const maxWireBytes = 64 * 1024

/**
 * The maximum number of bytes that the HTTP parser gets at once. The parser processes all of these bytes before
 * `maxWireBytes` is checked again.
 */
const maxParsedBytes = 16 * 1024

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
    // Undici restarts these two timeouts whenever data arrives, so an endpoint that sends single bytes could extend
    // them indefinitely. They are switched off because the attempt has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: maxIdleMs,
    keepAliveTimeoutThreshold: idleMarginMs,
  })
}

/**
 * Closes a connection whose response exceeds `maxWireBytes`. Only the bytes that have been processed count, because a
 * long body may arrive all at once, although exchange.ts needs only its beginning. With TLS, bytes also wait in `raw`:
 * it stops reading from the network only when its own buffer is full.
 */
function limitResponse(connection: Connection): void {
  const { socket, raw } = connection
  const arrived = (): number => raw.bytesRead - connection.readBefore
  const waiting = (): number => socket.readableLength + (raw === socket ? 0 : raw.readableLength)
  function isTooLarge(): boolean {
    if (arrived() - waiting() <= maxWireBytes) return false
    socket.destroy(coded('RESPONSE_TOO_LARGE', 'The response does not end.'))
    return true
  }

  const read = socket.read.bind(socket)
  socket.read = (size?: number) => {
    if (size === 0) return read(0) as null
    if (socket.destroyed || isTooLarge()) return null
    return read(Math.min(socket.readableLength, maxParsedBytes) || size) as Buffer | null
  }
  // With TLS, the bytes that arrive may contain nothing for the parser. They also pass through the stream in wire.ts
  // whether or not the parser reads. Reading from the network is therefore stopped here, before the bytes fill up the
  // memory.
  if (raw !== socket)
    raw.on('data', () => {
      if (!isTooLarge() && arrived() > maxWireBytes) raw.pause()
    })
}

/**
 * Lets `client` read from its `socket` only while the meter has time left, and charges the parsing time to the meter.
 * This limit is necessary because endpoints choose what they send, and some content is slow to parse. For example,
 * parsing 64 KiB of the shortest possible headers takes 3 ms.
 */
function meterReads(client: Client, socket: Socket, meterOf: () => Meter | null): void {
  const read = socket.read.bind(socket)
  let isWaiting = false
  socket.read = (size?: number) => {
    // A read of size 0 is not metered, because Node calls `read(0)` only to fill its buffer, and nothing is parsed.
    const ready = size === 0 ? null : (meterOf()?.ready() ?? null)
    if (ready === null) return read(size) as Buffer | null
    if (!isWaiting) void readAgainAfter(ready)
    return null
  }

  async function readAgainAfter(ready: Promise<void>): Promise<void> {
    isWaiting = true
    await ready
    isWaiting = false
    if (!socket.destroyed) socket.emit('readable')
  }

  let startedAt = 0
  // Once the client is connected, it adds its own listener, which reads and parses data. Of the two listeners below,
  // the first runs just before the client's listener and the second just after it. Together they measure how long the
  // client's listener takes.
  client.once('connect', () => {
    socket.prependListener('readable', () => {
      startedAt = performance.now()
    })
    socket.on('readable', () => meterOf()?.count(performance.now() - startedAt))
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
  limitResponse(connection)
  meterReads(client, socket, () => connection.meter)
  skipInterimResponses(socket)
  return connection
}

/**
 * Closes the connection immediately. The socket must be destroyed separately, because a client does not own its socket
 * until it sends its first request.
 */
export function closeConnection({ client, socket }: Connection): void {
  void client.destroy()
  socket.destroy()
}
