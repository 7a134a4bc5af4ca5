import net, { type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls, { type TLSSocket } from 'node:tls'
import type { Meter } from '../../limits/rate.ts'
import { isPublicAddress } from './address.ts'
import { connectFault, type Fault, faults } from './faults.ts'
import { createGauge, type Gauge } from './gauge.ts'
import { type Address, findAddresses, type Lookup } from './resolve.ts'

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
