import net, { type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls, { type TLSSocket } from 'node:tls'
import type { Meter } from '../../limits/rate.ts'
import { connectFault, type Fault, faults } from './faults.ts'
import { createGauge, type Gauge } from './gauge.ts'
import { type Address, findAddresses, isPublicAddress, type Lookup } from './resolve.ts'

/** `hostname` has no brackets. Private addresses are fine if `allowed`. */
export interface Target {
  origin: string
  hostname: string
  port: number
  secure: boolean
  allowed: boolean
}

/** How long to wait for one address before the next. Node's 250 ms is too short for another continent. */
const nextAddressMs = 1_000

function startSocket({ hostname: host, port }: Target, addresses: Address[]): Socket {
  return net.connect({
    host,
    port,
    // Only the checked addresses: resolving the name again could return others.
    lookup: (_hostname, _options, callback) => callback(null, addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    noDelay: true,
  })
}

function startTls({ hostname }: Target, socket: Duplex, trust: tls.SecureContext): TLSSocket {
  return tls.connect({
    socket,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    secureContext: trust,
    // Otherwise TLS would check the certificate against localhost.
    host: hostname,
    servername: net.isIP(hostname) ? '' : hostname,
  })
}

/** A last check after connecting, on the peer address that the kernel reports. */
function judgePeer({ remoteAddress }: Socket, { isBlocked }: Lookup, { allowed }: Target): Fault | null {
  if (remoteAddress === undefined) return faults.closed
  const isGood = !isBlocked(remoteAddress) && (allowed || isPublicAddress(remoteAddress))
  return isGood ? null : faults.notPublic
}

/** HTTP uses `socket`: the gauge's stream or, with TLS, the TLS socket on top of it. */
export interface Opened {
  socket: Duplex
  gauge: Gauge
  raw: Socket
}

/**
 * Resolves the name, checks every address and verifies the certificate, all before `deadline`. `meter` limits the CPU
 * time of the handshake. The caller closes the socket; after a fault, none is left open.
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
    // From then on the gauge reports errors, after it has passed on what had arrived.
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

/** Use it for this `origin` only: that's what its address was checked for. */
export interface Connection extends Opened {
  origin: string
  openedAt: number
  idleSince: number
  /** After this, the endpoint may be about to close it. */
  mayIdleMs: number
}

/**
 * Without a `Keep-Alive` header. Many servers close idle connections after 5 s, and an attempt fails if that happens
 * just as it reuses one.
 */
const idleMs = 4_000

/** Even if the endpoint's `Keep-Alive: timeout=…` allows more. */
const maxIdleMs = 60_000

/** The end of an endpoint's keep-alive timeout isn't used: the next request also takes time to arrive. */
const idleMarginMs = 2_000

/** How many ms a connection may stay idle after this `Keep-Alive` header. */
export function mayIdleFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, maxIdleMs)
}

/** Older connections are closed after their current response, so that DNS changes take effect. */
const maxLifeMs = 5 * 60_000

/**
 * Keeps idle connections per origin and closes the longest idle one when `maxSockets` is reached. Callers limit how
 * many are in use at once.
 */
export function createConnections(maxSockets: number) {
  /** Longest idle first. */
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
    /** The origin's most recently used idle connection, or null. */
    take(origin: string): Connection | null {
      for (;;) {
        const kept = idleOf.get(origin)?.at(-1)
        if (!kept) return null
        forget(kept)
        // In a busy process, the socket's timer fires late.
        if (kept.raw.writable && performance.now() - kept.idleSince < kept.mayIdleMs) return kept
        drop(kept)
      }
    },

    /** In use until `giveBack` or `drop`. */
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

    /** Only after the whole response has been read. */
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
