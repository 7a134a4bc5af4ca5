import type { LookupFunction, Socket } from 'node:net'
import net from 'node:net'
import tls from 'node:tls'
import { isPublicAddress } from './address.ts'
import { connectFault, type Fault, faults } from './faults.ts'
import type { Meter } from './meter.ts'
import { type Address, findAddresses, type Lookup } from './resolve.ts'
import { createWire, type Wire } from './wire.ts'

/** Whom to connect to. `hostname` is without brackets; `allowed` hosts may be private. */
export interface Target {
  origin: string
  hostname: string
  port: number
  secure: boolean
  allowed: boolean
}

/** How long one of several addresses is tried before the next: Node's 250 ms gives up on receivers across an ocean. */
const nextAddressMs = 1_000

/** A lookup that knows only the addresses that were judged, so that nothing can be resolved a second time. */
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
  // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes nothing.
  const verified = { rejectUnauthorized: true, ALPNProtocols: ['http/1.1'], secureContext: trust }
  // Without `host` TLS would check the certificate for localhost.
  return tls.connect({
    ...verified,
    socket: wire,
    host: hostname,
    servername: net.isIP(hostname) ? '' : hostname,
  })
}

/** The last look: the address at the other end, as the kernel tells it. */
function judgePeer({ remoteAddress }: Socket, { isBlocked }: Lookup, { allowed }: Target): Fault | null {
  if (remoteAddress === undefined) return faults.closed
  const isGood = !isBlocked(remoteAddress) && (allowed || isPublicAddress(remoteAddress))
  return isGood ? null : faults.notPublic
}

/** An open connection: `socket` carries HTTP, `raw` the bytes of the network. Without TLS they are one. */
export interface Opened {
  socket: Socket
  raw: Socket
}

/**
 * Opens a socket to `target` before `deadline`: resolves the name, checks every address, and verifies TLS for the host name in the time that
 * `meter` allows. The caller closes the socket that it gets. If none is returned, none stays open.
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
    // These stay for the socket's life: an error between here and the first request has no other listener.
    raw.on('error', broken)
    raw.on('close', () => {
      // What has come already may still be waiting for TLS.
      if (socket === raw) fail(connectFault(null, connected))
    })
  })
}
