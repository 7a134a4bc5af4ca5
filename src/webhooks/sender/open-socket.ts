import type { LookupAddress } from 'node:dns'
import http from 'node:http'
import net, { type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls, { type TLSSocket } from 'node:tls'
import type { TimeMeter } from '../../limits/rate.ts'
import {
  type Failure,
  type SendFault,
  sendFaults,
  toConnectFault,
  toProxyFault,
  toTlsFault,
} from './faults.ts'
import { createGauge, type Gauge } from './gauge.ts'
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

function startSocket(
  { hostname: host, port }: Pick<SocketTarget, 'hostname' | 'port'>,
  addresses: LookupAddress[],
): Socket {
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

export interface WebhookProxy {
  hostname: string
  port: number
  /** Contain the password. */
  headers: Record<string, string>
  lookUp: () => Promise<LookupAddress[]>
}

export interface Route extends AddressLookup {
  trust: tls.SecureContext
  proxy: WebhookProxy | null
}

interface GaugedSocket {
  gauge: Gauge
  raw: Socket
}

export interface OpenedSocket extends GaugedSocket {
  socket: Duplex
}

export async function openSocket(
  route: Route,
  target: SocketTarget,
  meter: TimeMeter,
  deadline: AbortSignal,
): Promise<OpenedSocket | Failure> {
  const found = await resolveAddresses(route, target, deadline)
  if ('fault' in found) return found
  const { proxy } = route
  const connected = await (proxy === null
    ? connectDirectly(route, target, found.addresses, deadline)
    : connectThrough(proxy, target.port, found.addresses, meter, deadline))
  if ('fault' in connected) return connected
  const { gauge, raw } = connected
  if (!target.secure) return { socket: gauge.stream, gauge, raw }
  const secured = await beforeDeadline<OpenedSocket>(deadline, sendFaults.lateConnection, (settle) => {
    const broken = (error: Error | null): void => settle({ fault: toTlsFault(error) })
    gauge.stream.on('error', broken)
    gauge.begin('handshake', meter)
    const startedAt = performance.now()
    const socket = startTls(target, gauge.stream, route.trust)
    meter.count(performance.now() - startedAt)
    socket.on('error', broken)
    socket.on('close', () => broken(null))
    socket.once('secureConnect', () => settle({ socket, gauge, raw }))
  })
  if ('fault' in secured) gauge.stream.destroy()
  return secured
}

function beforeDeadline<Result extends object>(
  deadline: AbortSignal,
  late: SendFault,
  begin: (settle: (result: Result | Failure) => void) => void,
): Promise<Result | Failure> {
  return new Promise((resolve) => {
    const expire = (): void => resolve({ fault: late })
    if (deadline.aborted) return expire()
    deadline.addEventListener('abort', expire)
    begin((result) => {
      deadline.removeEventListener('abort', expire)
      resolve(result)
    })
  })
}

/** Once the socket is connected, its gauge reports errors. */
async function connect(
  start: () => Socket,
  deadline: AbortSignal,
  late: SendFault,
  toFault: (error: Error) => SendFault,
): Promise<GaugedSocket | Failure> {
  if (deadline.aborted) return { fault: late }
  const raw = start()
  const connected = await beforeDeadline<GaugedSocket>(deadline, late, (settle) => {
    raw.on('error', (error) => settle({ fault: toFault(error) }))
    raw.once('connect', () => settle({ raw, gauge: createGauge(raw) }))
  })
  if ('fault' in connected) raw.destroy()
  return connected
}

async function connectDirectly(
  route: Route,
  target: SocketTarget,
  addresses: LookupAddress[],
  deadline: AbortSignal,
): Promise<GaugedSocket | Failure> {
  const start = () => startSocket(target, addresses)
  const connected = await connect(start, deadline, sendFaults.lateConnection, toConnectFault)
  if ('fault' in connected) return connected
  const fault = judgePeer(connected.raw, route, target)
  if (fault === null) return connected
  connected.raw.destroy()
  return { fault }
}

/** An address that doesn't respond must leave time for the next one. */
const proxyAddressMs = 3_000

/** Gets checked addresses, because it could resolve a name to others. */
async function connectThrough(
  proxy: WebhookProxy,
  port: number,
  addresses: LookupAddress[],
  meter: TimeMeter,
  deadline: AbortSignal,
): Promise<GaugedSocket | Failure> {
  let left = addresses.length
  let tunnel: GaugedSocket | Failure = { fault: sendFaults.lateProxy }
  for (const { address } of addresses) {
    const isLast = --left === 0
    const signal = isLast ? deadline : AbortSignal.any([deadline, AbortSignal.timeout(proxyAddressMs)])
    const authority = `${net.isIPv6(address) ? `[${address}]` : address}:${port}`
    tunnel = await openTunnel(proxy, authority, meter, signal)
    if (!('fault' in tunnel) || tunnel.fault.stage === 'proxy') break
  }
  return tunnel
}

async function openTunnel(
  proxy: WebhookProxy,
  authority: string,
  meter: TimeMeter,
  deadline: AbortSignal,
): Promise<GaugedSocket | Failure> {
  const found = await beforeDeadline<LookupAddress[]>(deadline, sendFaults.lateProxy, (settle) => {
    proxy.lookUp().then(settle, () => settle({ fault: sendFaults.noProxy }))
  })
  if ('fault' in found) return found
  const start = () => startSocket(proxy, found)
  const connected = await connect(start, deadline, sendFaults.lateProxy, () => sendFaults.noProxy)
  if ('fault' in connected) return connected
  const { gauge } = connected
  const tunnel = await beforeDeadline<GaugedSocket>(deadline, sendFaults.lateProxy, (settle) => {
    gauge.begin('response', meter)
    const request = http.request({
      createConnection: () => gauge.stream,
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, Connection: 'keep-alive', ...proxy.headers },
    })
    request.on('error', () => settle({ fault: sendFaults.brokenProxy }))
    request.on('connect', ({ statusCode = 0 }, _socket, head) => {
      gauge.end()
      const fault = toProxyFault(statusCode) ?? (head.length > 0 ? sendFaults.brokenProxy : null)
      settle(fault === null ? connected : { fault })
    })
    request.end()
  })
  if ('fault' in tunnel) gauge.stream.destroy()
  return tunnel
}
