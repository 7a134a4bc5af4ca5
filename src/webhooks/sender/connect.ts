import type { LookupFunction, Socket } from 'node:net'
import net from 'node:net'
import tls from 'node:tls'
import { isPublicAddress } from './address.ts'
import { connectFault, type Fault, faults } from './faults.ts'
import { type Address, findAddresses, type Lookup } from './resolve.ts'

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

function startSocket(target: Target, addresses: Address[], trust: tls.SecureContext): Socket {
  const { hostname: host, port, secure } = target
  const where = {
    host,
    port,
    lookup: pinned(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    noDelay: true,
  }
  if (!secure) return net.connect(where)
  // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes nothing.
  const verified = { rejectUnauthorized: true, ALPNProtocols: ['http/1.1'], secureContext: trust }
  return tls.connect({ ...where, ...verified, servername: net.isIP(host) ? '' : host })
}

/** The last look: the address at the other end, as the kernel tells it. */
function judgePeer({ remoteAddress }: Socket, { isBlocked }: Lookup, { allowed }: Target): Fault | null {
  if (remoteAddress === undefined) return faults.closed
  const isGood = !isBlocked(remoteAddress) && (allowed || isPublicAddress(remoteAddress))
  return isGood ? null : faults.notPublic
}

/**
 * Opens a socket to `target` before `deadline`: resolved here, every address judged, TLS verified for its host name. A
 * socket that is handed out is the caller's to close; otherwise none is left behind.
 */
export async function openSocket(
  lookup: Lookup,
  trust: tls.SecureContext,
  target: Target,
  deadline: AbortSignal,
): Promise<{ socket: Socket } | { fault: Fault }> {
  const found = await findAddresses(lookup, target, deadline)
  if ('fault' in found) return found
  if (deadline.aborted) return { fault: faults.lateConnection }
  return new Promise((settle) => {
    let connected = false
    const socket = startSocket(target, found.addresses, trust)
    const fail = (fault: Fault): void => {
      deadline.removeEventListener('abort', late)
      socket.destroy()
      settle({ fault })
    }
    const late = (): void => fail(faults.lateConnection)
    deadline.addEventListener('abort', late)
    socket.on('connect', () => {
      connected = true
      const fault = judgePeer(socket, lookup, target)
      if (fault) fail(fault)
    })
    // These stay for the socket's life: an error between here and the first request has no other listener.
    socket.on('error', (error) => fail(connectFault(error, connected)))
    socket.on('close', () => fail(connectFault(null, connected)))
    socket.once(target.secure ? 'secureConnect' : 'connect', () => {
      deadline.removeEventListener('abort', late)
      settle({ socket })
    })
  })
}
