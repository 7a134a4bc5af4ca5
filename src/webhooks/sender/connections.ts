import net, { type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls, { type TLSSocket } from 'node:tls'
import type { Meter } from '../../limits/rate.ts'
import { connectFault, type Fault, faults } from './faults.ts'
import { createGauge, type Gauge } from './gauge.ts'
import { type Address, findAddresses, isPublicAddress, type Lookup } from './resolve.ts'

/**
 * The host to connect to. `hostname` contains no brackets. If `allowed` is true, the host may have a private address.
 */
export interface Target {
  origin: string
  hostname: string
  port: number
  secure: boolean
  allowed: boolean
}

/**
 * How long to wait for a connection to one address before trying the next address. Node's default of 250 ms is too
 * short for endpoints on another continent.
 */
const nextAddressMs = 1_000

function startSocket({ hostname: host, port }: Target, addresses: Address[]): Socket {
  return net.connect({
    host,
    port,
    // Returns only the addresses that have been checked, so that the name is not resolved a second time.
    lookup: (_hostname, _options, callback) => callback(null, addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    noDelay: true,
  })
}

function startTls({ hostname }: Target, socket: Duplex, trust: tls.SecureContext): TLSSocket {
  return tls.connect({
    socket,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    secureContext: trust,
    // Without `host`, TLS would check the certificate against localhost.
    host: hostname,
    servername: net.isIP(hostname) ? '' : hostname,
  })
}

/**
 * Runs the final check on the address, after the socket has connected. This check uses the peer address that the kernel
 * reports.
 */
function judgePeer({ remoteAddress }: Socket, { isBlocked }: Lookup, { allowed }: Target): Fault | null {
  if (remoteAddress === undefined) return faults.closed
  const isGood = !isBlocked(remoteAddress) && (allowed || isPublicAddress(remoteAddress))
  return isGood ? null : faults.notPublic
}

/** An open connection. HTTP uses `socket`, which is the stream of `gauge` or, with TLS, the TLS socket above it. */
export interface Opened {
  socket: Duplex
  gauge: Gauge
  raw: Socket
}

/**
 * Opens a socket to `target` before `deadline`. Resolves the name, checks every address, and verifies that the TLS
 * certificate is valid for the host name. `meter` limits the CPU time that the handshake may use. The caller must close
 * the returned socket. If the function returns a fault, no socket is left open.
 */
export async function openSocket(
  lookup: Lookup,
  trust: tls.SecureContext,
  target: Target,
  meter: Meter,
  deadline: AbortSignal,
): Promise<Opened | { fault: Fault }> {
  const found = await findAddresses(lookup, target, deadline)
  if ('fault' in found) return found
  if (deadline.aborted) return { fault: faults.lateConnection }
  return new Promise((settle) => {
    const raw = startSocket(target, found.addresses)
    let connected = false
    let bottom: Duplex = raw
    const end = (result: Opened | { fault: Fault }): void => {
      deadline.removeEventListener('abort', late)
      settle(result)
    }
    const fail = (fault: Fault): void => {
      bottom.destroy()
      end({ fault })
    }
    const late = (): void => fail(faults.lateConnection)
    const broken = (error: Error | null): void => fail(connectFault(error, connected))
    deadline.addEventListener('abort', late)
    // Once there is a gauge, it closes its stream after an error, but first passes on what had arrived.
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

/** A connection, which must only be used for the `origin` for which its address was checked. */
export interface Connection extends Opened {
  origin: string
  openedAt: number
  idleSince: number
  /** How long the connection may stay idle. After this time, the endpoint may be about to close the connection. */
  mayIdleMs: number
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

/**
 * The maximum age of a connection. Once a connection is older, it is closed after its current response, so that DNS
 * changes take effect.
 */
const maxLifeMs = 5 * 60_000

/**
 * Creates a sender's pool of connections. Idle connections are kept for their origin, until there are `maxSockets`
 * sockets and another one is needed. Callers limit the number of connections that are in use at the same time.
 */
export function createConnections(maxSockets: number) {
  /** In the order in which the connections became idle. */
  const idle = new Set<Connection>()
  const idleOf = new Map<string, Connection[]>()
  let sockets = 0

  function forget(connection: Connection): void {
    if (!idle.delete(connection)) return
    const same = idleOf.get(connection.origin) ?? []
    same.splice(same.lastIndexOf(connection), 1)
    if (same.length === 0) idleOf.delete(connection.origin)
  }

  function drop(connection: Connection): void {
    forget(connection)
    connection.gauge.stream.destroy()
  }

  return {
    /** Takes the origin's idle connection that was used last, or returns null if there is none. */
    take(origin: string): Connection | null {
      for (;;) {
        const kept = idleOf.get(origin)?.at(-1)
        if (!kept) return null
        forget(kept)
        // The socket's timer fires late if the process is busy.
        if (kept.raw.writable && performance.now() - kept.idleSince < kept.mayIdleMs) return kept
        drop(kept)
      }
    },

    /** Opens a connection with `open`. It is in use until `giveBack` or `drop` is called. */
    async open(origin: string, open: () => Promise<Opened | { fault: Fault }>): Promise<Connection | { fault: Fault }> {
      const [longestIdle] = idle
      if (sockets >= maxSockets && longestIdle) drop(longestIdle)
      sockets += 1
      const opened = await open()
      if ('fault' in opened) {
        sockets -= 1
        return opened
      }
      const now = performance.now()
      const connection = { ...opened, origin, openedAt: now, idleSince: now, mayIdleMs: idleMs }
      opened.raw.on('timeout', () => idle.has(connection) && drop(connection))
      opened.raw.once('close', () => {
        sockets -= 1
        forget(connection)
      })
      return connection
    },

    /** Makes a connection available again after its response has been read to the end. */
    giveBack(connection: Connection): void {
      const { origin, raw, openedAt, mayIdleMs } = connection
      const now = performance.now()
      if (!raw.writable || mayIdleMs <= 0 || now - openedAt > maxLifeMs) return drop(connection)
      connection.idleSince = now
      if (raw.timeout !== mayIdleMs) raw.setTimeout(mayIdleMs)
      idle.add(connection)
      const same = idleOf.get(origin)
      if (same) same.push(connection)
      else idleOf.set(origin, [connection])
    },

    drop,

    closeIdle: (): void => idle.forEach(drop),
  }
}
