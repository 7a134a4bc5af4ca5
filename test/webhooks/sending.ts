import type { LookupAddress } from 'node:dns'
import type { RequestListener } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { TimeMeter } from '../../src/limits/rate.ts'
import type { HttpConnection } from '../../src/webhooks/sender/connections.ts'
import { createConnectionPool } from '../../src/webhooks/sender/connections.ts'
import { openSocket } from '../../src/webhooks/sender/open-socket.ts'
import type { Sender, SenderOptions, SentAttempt } from '../../src/webhooks/sender/send.ts'
import { createSender } from '../../src/webhooks/sender/send.ts'
import { deadlineMs } from '../support/machine.ts'
import { type EndpointServer, httpEndpoint, pem, stopEndpoints } from './endpoint-servers.ts'

const shortTimeoutMs = 300
export const shortTimeout = { timeoutMs: shortTimeoutMs }
/** Long enough for loopback on a busy machine, and shorter than a test's timeout. */
const usualTimeoutMs = 10_000
export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
export const hostName = 'hooks.example.com'
export const owner = 'business'
export const body = '{"id":"DLV-1","label":"Café ☕"}'
export const userAgent = 'Service-Webhooks/1.2.3 (+https://api.example/docs)'
export const headers = { 'content-type': 'application/json', 'x-service-signature': 'sha256=00' }
export const resolvingTo = (addresses: string[]) => async (): Promise<LookupAddress[]> =>
  addresses.map((address) => ({ address, family: isIP(address) }))
export const loopback = resolvingTo(['127.0.0.1'])
export const forever = <T>(): Promise<T> => new Promise<T>(() => {})
const senders: Sender[] = []
const timers: NodeJS.Timeout[] = []

/** A sender that may connect to `hosts`, each in the form `host:port`. */
export function sender(hosts: string[], options: Partial<SenderOptions>) {
  const all = {
    timeoutMs: usualTimeoutMs,
    maxSockets: 50,
    allowedHosts: new Set(hosts),
    blockedRanges: [],
    proxy: null,
    userAgent,
    ...options,
  }
  const made = createSender(all)
  senders.push(made)
  return { ...made, post: (url: string) => made.send({ url, headers, body, owner }) }
}

/** A sender that may connect to these endpoints. `post` makes an attempt at the endpoint with this index. */
export function senderTo(endpointServers: EndpointServer[], options: Partial<SenderOptions>) {
  const hosts = endpointServers.map(({ port }) => `127.0.0.1:${port}`)
  const urls = hosts.map((host) => `http://${host}/hooks`)
  const made = sender(hosts, options)
  return { ...made, urls, post: (at = 0): Promise<SentAttempt> => made.post(urls[at] ?? '') }
}

export const attemptAt = (endpointServer: EndpointServer, options: Partial<SenderOptions>) =>
  senderTo([endpointServer], options).post()

export const attemptAtHttp = async (listener: RequestListener): Promise<SentAttempt> =>
  attemptAt(await httpEndpoint(listener), {})

export function attemptOverTls(
  endpointServer: EndpointServer,
  options: Partial<SenderOptions>,
  name: string,
): Promise<SentAttempt> {
  const ca = { ca: pem('authority.pem') }
  const made = sender([`${name}:${endpointServer.port}`], { resolve: loopback, ...ca, ...options })
  return made.post(`https://${name}:${endpointServer.port}/hooks`)
}

export const okEndpoint = (): Promise<EndpointServer> => httpEndpoint((_req, res) => res.end())
/** Fails like a resolver, with details that a merchant must not see. */
export const failing = (code: string) => () =>
  Promise.reject(Object.assign(new Error(`query ${code} 10.0.0.1`), { code }))
export const unlimited: TimeMeter = { waitMs: () => 0, count: () => undefined }

export async function openConnection(
  { port }: EndpointServer,
  secure = false,
  connections = createConnectionPool(1),
): Promise<HttpConnection> {
  const target = { origin: '', hostname: hostName, port, secure, allowed: true }
  const trust = createSecureContext({ ca: pem('authority.pem') })
  const route = { resolve: loopback, isBlocked: () => false, trust, proxy: null }
  const noDeadline = new AbortController().signal
  const opened = await connections.open('', () => openSocket(route, target, unlimited, noDeadline))
  return 'fault' in opened ? expect.fail(opened.fault.error) : opened
}

export const activeTimers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

export function repeat(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(text)), everyMs)
  timers.push(timer)
}

export const block = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

export function dribble(socket: Socket, text: string, bytes: number): void {
  socket.setNoDelay()
  if (text === '' || socket.destroyed) return
  socket.write(text.slice(0, bytes), () => setImmediate(dribble, socket, text.slice(bytes), bytes))
}

export function flood(socket: Socket, text: string): void {
  if (socket.destroyed) return
  const more = socket.write(text)
  if (more) setImmediate(flood, socket, text)
  else socket.once('drain', () => flood(socket, text))
}

export function expectStage(attempt: SentAttempt, stage: string): void {
  expect(attempt).to.include({ stage, status: null, responseText: null })
  expect(attempt.error).to.match(/^[A-Z][^\n]{10,100}\.$/)
  expect(attempt.error).to.not.match(/\d+\.\d+\.\d+|node:|Error|undici/)
}

export function expectTimeout(attempt: SentAttempt): void {
  expectStage(attempt, 'timeout')
  expect(attempt.durationMs).to.be.within(shortTimeoutMs - 5, shortTimeoutMs + deadlineMs(2_000))
}

export async function stopAll(): Promise<void> {
  for (const timer of timers.splice(0)) clearInterval(timer)
  await stopEndpoints()
  await Promise.all(senders.splice(0).map((made) => made.close()))
}
