import type { LookupFunction, Socket } from 'node:net'
import net from 'node:net'
import tls from 'node:tls'
import { isPublicAddress } from './address.ts'
import { connectFault, type Fault, faults } from './faults.ts'
import type { Meter } from './meter.ts'
import { type Address, findAddresses, type Lookup } from './resolve.ts'
import { createWire, type Wire } from './wire.ts'

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

/**
 * The size of a TLS socket's buffer. The buffer can hold all the bytes that connection.ts accepts for one response,
 * even if the parser has not read any of them. Therefore, no bytes have to wait in the stream below TLS (wire.ts),
 * where connection.ts could not count them.
 */
const tlsBufferBytes = 128 * 1024

/**
 * Creates a lookup function that returns only the addresses that have been checked, so that the name is not resolved a
 * second time.
 */
const pinned =
  (addresses: Address[]): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(null, addresses)

function startSocket({ hostname: host, port }: Target, addresses: Address[]): Socket {
  return net.connect({
    host,
    port,
    lookup: pinned(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    noDelay: true,
  })
}

function startTls({ hostname }: Target, wire: Wire, trust: tls.SecureContext): Socket {
  // `rejectUnauthorized` is set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
  const verified = { rejectUnauthorized: true, ALPNProtocols: ['http/1.1'], secureContext: trust }
  // The types of Node.js lack this option.
  const buffered = { highWaterMark: tlsBufferBytes }
  // Without `host`, TLS would check the certificate against localhost.
  return tls.connect({
    ...verified,
    ...buffered,
    socket: wire,
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

/**
 * An open connection. `socket` carries HTTP, and `raw` is the network socket. Without TLS, both are the same socket.
 */
export interface Opened {
  socket: Socket
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
    let connected = false
    const raw = startSocket(target, found.addresses)
    let socket = raw
    const fail = (fault: Fault): void => {
      deadline.removeEventListener('abort', late)
      socket.destroy()
      raw.destroy()
      settle({ fault })
    }
    const late = (): void => fail(faults.lateConnection)
    const succeed = (): void => {
      deadline.removeEventListener('abort', late)
      settle({ socket, raw })
    }
    const broken = (error: Error): void => fail(connectFault(error, connected))
    deadline.addEventListener('abort', late)
    raw.once('connect', () => {
      connected = true
      const fault = judgePeer(raw, lookup, target)
      if (fault) return fail(fault)
      if (!target.secure) return succeed()
      const wire = createWire(raw, meter)
      wire.on('error', broken)
      socket = startTls(target, wire, trust)
      socket.on('error', broken)
      socket.on('close', () => fail(connectFault(null, true)))
      socket.once('secureConnect', () => {
        wire.endHandshake()
        succeed()
      })
    })
    // These listeners are never removed, because otherwise nothing would handle an error that occurs before the first
    // request.
    raw.on('error', broken)
    raw.on('close', () => {
      // With TLS, the `close` event of `raw` is not yet a failure, because bytes that have already arrived may still be
      // waiting in the stream between `raw` and TLS (wire.ts).
      if (socket === raw) fail(connectFault(null, connected))
    })
  })
}
