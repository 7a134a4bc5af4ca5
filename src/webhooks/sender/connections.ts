import type { LookupAddress } from 'node:dns'
import net, { type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import tls, { type TLSSocket } from 'node:tls'
import type { TimeMeter } from '../../limits/rate.ts'
import { type SendFault, sendFaults, toConnectFault } from './faults.ts'
import { type AddressLookup, isPublicAddress, resolveAddresses } from './resolve.ts'

/** An IPv6 `hostname` has no brackets. */
export interface SocketTarget {
  origin: string
  hostname: string
  port: number
  secure: boolean
  allowed: boolean
}

/** Node's default of 250 ms is too short for other continents. */
const nextAddressMs = 1_000

function startSocket({ hostname: host, port }: SocketTarget, addresses: LookupAddress[]): Socket {
  return net.connect({
    host,
    port,
    // A second lookup could return addresses that weren't checked.
    lookup: (_hostname, _options, callback) => callback(null, addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    noDelay: true,
  })
}

function startTls({ hostname }: SocketTarget, socket: Duplex, trust: tls.SecureContext): TLSSocket {
  return tls.connect({
    socket,
    // The variable NODE_TLS_REJECT_UNAUTHORIZED must have no effect.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    secureContext: trust,
    // Without `host`, the certificate would have to be for localhost.
    host: hostname,
    servername: net.isIP(hostname) ? '' : hostname,
  })
}

/** Checks the address again, as the kernel reports it. */
function judgePeer({ remoteAddress }: Socket, { isBlocked }: AddressLookup, { allowed }: SocketTarget) {
  if (remoteAddress === undefined) return sendFaults.closed
  const isGood = !isBlocked(remoteAddress) && (allowed || isPublicAddress(remoteAddress))
  return isGood ? null : sendFaults.notPublic
}

interface OpenedSocket {
  socket: Duplex
  gauge: Gauge
  raw: Socket
}

export async function openSocket(
  lookup: AddressLookup,
  trust: tls.SecureContext,
  target: SocketTarget,
  meter: TimeMeter,
  deadline: AbortSignal,
): Promise<OpenedSocket | { fault: SendFault }> {
  const found = await resolveAddresses(lookup, target, deadline)
  if ('fault' in found) return found
  if (deadline.aborted) return { fault: sendFaults.lateConnection }
  return new Promise((settle) => {
    const raw = startSocket(target, found.addresses)
    let connected = false
    let bottom: Duplex = raw
    const end = (result: OpenedSocket | { fault: SendFault }): void => {
      deadline.removeEventListener('abort', late)
      settle(result)
    }
    const fail = (fault: SendFault): void => {
      bottom.destroy()
      end({ fault })
    }
    const late = (): void => fail(sendFaults.lateConnection)
    const broken = (error: Error | null): void => fail(toConnectFault(error, connected))
    deadline.addEventListener('abort', late)
    // Once the socket is connected, the gauge reports errors.
    raw.on('error', (error) => connected || broken(error))
    raw.once('connect', () => {
      connected = true
      const fault = judgePeer(raw, lookup, target)
      if (fault) return fail(fault)
      const gauge = createGauge(raw)
      bottom = gauge.stream.on('error', broken)
      if (!target.secure) return end({ socket: gauge.stream, gauge, raw })
      gauge.begin('handshake', meter)
      const startedAt = performance.now()
      const socket = startTls(target, gauge.stream, trust)
      meter.count(performance.now() - startedAt)
      socket.on('error', broken)
      socket.on('close', () => broken(null))
      socket.once('secureConnect', () => end({ socket, gauge, raw }))
    })
  })
}

/** Every received byte counts. Certificates take 4 to 8 KiB. */
const byteLimits = {
  handshake: { maxBytes: 16 * 1024, code: 'HANDSHAKE_TOO_LARGE' },
  response: { maxBytes: 64 * 1024, code: 'RESPONSE_TOO_LARGE' },
}

const maxAtOnce = 4 * 1024

interface Use {
  meter: TimeMeter
  leftBytes: number
  code: string
}

type Gauge = ReturnType<typeof createGauge>

/**
 * Holds received bytes back until their business has CPU time, because a large
 * certificate chain takes 80 ms to process.
 */
export function createGauge(raw: Socket) {
  let use: Use | null = null
  let passing = Promise.resolve()

  async function pass(chunk: Buffer): Promise<void> {
    const mine = use
    for (let rest = chunk; rest.length > 0; ) {
      for (let ms = mine?.meter.waitMs(); ms; ms = mine?.meter.waitMs()) {
        raw.pause()
        await wait(ms)
      }
      // Bytes after a response must not become part of the next one.
      if (mine === null || mine !== use) return void stream.destroy()
      if (mine.leftBytes === 0)
        return void stream.destroy(Object.assign(new Error('Too many bytes.'), { code: mine.code }))
      const part = rest.subarray(0, Math.min(maxAtOnce, mine.leftBytes))
      rest = rest.subarray(part.length)
      mine.leftBytes -= part.length
      const startedAt = performance.now()
      stream.push(part)
      mine.meter.count(performance.now() - startedAt)
      if (rest.length === 0) continue
      raw.pause()
      // The body's reader runs in the next tick, and may need no more bytes.
      await new Promise<void>(process.nextTick)
    }
    if (raw.isPaused()) raw.resume()
  }

  const stream = new Duplex({
    // Bytes are pushed as they arrive, up to `byteLimits`.
    read: () => undefined,
    write: (chunk, _encoding, done) => void raw.write(chunk, done),
    final: (done) => void raw.end(done),
    destroy(error, done) {
      use = null
      raw.destroy()
      done(error)
    },
  })
  raw.on('data', (chunk) => {
    passing = pass(chunk)
  })
  // Bytes that arrived earlier may still be waiting.
  raw.on('end', () => void passing.then(() => stream.push(null)))
  raw.on('close', () => void passing.then(() => stream.destroy()))

  return {
    stream,
    begin(kind: keyof typeof byteLimits, meter: TimeMeter): void {
      const { maxBytes, code } = byteLimits[kind]
      use = { meter, leftBytes: maxBytes, code }
    },
    /** If a byte arrives before the next `begin`, the connection closes. */
    end(): void {
      use = null
    },
  }
}

/** Use a connection only for its `origin`, whose address was checked. */
export interface HttpConnection extends OpenedSocket {
  origin: string
  openedAt: number
  idleSince: number
  /** After this time, the endpoint may be about to close the connection. */
  mayIdleMs: number
}

/** Many servers close idle connections after 5 s. */
const idleMs = 4_000

/** Applies even if the endpoint allows more with `Keep-Alive: timeout=…`. */
const maxIdleMs = 60_000

/** A request takes time to arrive, so this is subtracted from the timeout. */
const idleMarginMs = 2_000

export function maxIdleMsFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, maxIdleMs)
}

/** Closing old connections lets DNS changes take effect. */
const maxLifeMs = 5 * 60_000

/** Callers must limit the number of connections in use. */
export function createConnectionPool(maxSockets: number) {
  const idle = new Set<HttpConnection>()
  let sockets = 0

  function drop(connection: HttpConnection): void {
    idle.delete(connection)
    connection.gauge.stream.destroy()
  }

  return {
    take(origin: string): HttpConnection | null {
      for (;;) {
        let kept: HttpConnection | null = null
        for (const connection of idle) if (connection.origin === origin) kept = connection
        if (kept === null) return null
        idle.delete(kept)
        // If the process is busy, the socket's timer fires late.
        if (kept.raw.writable && performance.now() - kept.idleSince < kept.mayIdleMs) return kept
        drop(kept)
      }
    },

    async open(
      origin: string,
      open: () => Promise<OpenedSocket | { fault: SendFault }>,
    ): Promise<HttpConnection | { fault: SendFault }> {
      const [longestIdle] = idle
      if (sockets >= maxSockets && longestIdle) drop(longestIdle)
      sockets += 1
      const opened = await open().catch((error: unknown) => {
        sockets -= 1
        throw error
      })
      if ('fault' in opened) {
        sockets -= 1
        return opened
      }
      const now = performance.now()
      const connection = { ...opened, origin, openedAt: now, idleSince: now, mayIdleMs: idleMs }
      opened.raw.on('timeout', () => idle.has(connection) && drop(connection))
      opened.raw.once('close', () => {
        sockets -= 1
        idle.delete(connection)
      })
      return connection
    },

    giveBack(connection: HttpConnection): void {
      const { raw, openedAt, mayIdleMs } = connection
      const now = performance.now()
      if (!raw.writable || mayIdleMs <= 0 || now - openedAt > maxLifeMs) return drop(connection)
      connection.idleSince = now
      if (raw.timeout !== mayIdleMs) raw.setTimeout(mayIdleMs)
      idle.add(connection)
    },

    drop,

    closeIdle: (): void => idle.forEach(drop),
  }
}
