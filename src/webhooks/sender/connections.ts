import net, { type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls, { type TLSSocket } from 'node:tls'
import type { Meter } from '../../limits/rate.ts'
import { connectFault, type Fault, faults } from './faults.ts'
import { createGauge, type Gauge } from './gauge.ts'
import { type Address, type AddressLookup, findAddresses, isPublicAddress } from './resolve.ts'

/** `hostname` has no brackets. If `allowed` is true, the host may have a private address. */
export interface Target {
  origin: string
  hostname: string
  port: number
  secure: boolean
  allowed: boolean
}

/** The time for one address before the next. Node's 250 ms is too short for another continent. */
const nextAddressMs = 1_000

function startSocket({ hostname: host, port }: Target, addresses: Address[]): Socket {
  return net.connect({
    host,
    port,
    // Returns only addresses that were checked. Resolving the name again could give others.
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

/** Checks the address once more after connecting, this time the peer address that the kernel reports. */
function judgePeer(
  { remoteAddress }: Socket,
  { isBlocked }: AddressLookup,
  { allowed }: Target,
): Fault | null {
  if (remoteAddress === undefined) return faults.closed
  const isGood = !isBlocked(remoteAddress) && (allowed || isPublicAddress(remoteAddress))
  return isGood ? null : faults.notPublic
}

/** HTTP uses `socket`, which is the gauge's stream or, with TLS, the TLS socket above it. */
export interface Opened {
  socket: Duplex
  gauge: Gauge
  raw: Socket
}

/**
 * Resolves the name, checks every address, and verifies the certificate, all before `deadline`. `meter` limits the CPU
 * time of the handshake. The caller must close the socket; if a fault is returned, none is left open.
 */
export async function openSocket(
  lookup: AddressLookup,
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
    // Once connected, the gauge reports errors, after it has passed on what had arrived.
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

/** Must be used only for this `origin`, because its address was checked for it. */
export interface Connection extends Opened {
  origin: string
  openedAt: number
  idleSince: number
  /** After this time, the endpoint may be about to close the connection. */
  mayIdleMs: number
}

/**
 * Used if there's no `Keep-Alive` header. Many servers close idle connections after 5 s, and an attempt fails if its
 * connection is closed just as it's being reused.
 */
const idleMs = 4_000

/** Applies even if an endpoint's `Keep-Alive: timeout=…` allows more. */
const maxIdleMs = 60_000

/** A connection isn't reused in this last part of its keep-alive timeout, because the request takes time to arrive. */
const idleMarginMs = 2_000

/** Returns how many ms a connection may stay idle after a response with this `Keep-Alive` header. */
export function mayIdleFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, maxIdleMs)
}

/** An older connection is closed after its current response, so that DNS changes take effect. */
const maxLifeMs = 5 * 60_000

/**
 * Keeps idle connections for reuse. When there are `maxSockets`, the one that has been idle longest is closed. Callers
 * limit how many are in use at a time.
 */
export function createConnections(maxSockets: number) {
  /** The connection that has been idle longest comes first. */
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
    /** Returns the origin's most recently used idle connection, or null. */
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

    /** The connection is in use until `giveBack` or `drop` is called. */
    async open(
      origin: string,
      open: () => Promise<Opened | { fault: Fault }>,
    ): Promise<Connection | { fault: Fault }> {
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

    /** Call this only after the whole response has been read. */
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
