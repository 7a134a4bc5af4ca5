import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import type { Connection } from '../../src/webhooks/sender/connection.ts'
import {
  type Attempt,
  createSender,
  type Sender,
  type SenderOptions,
} from '../../src/webhooks/sender/send.ts'
import { type EndpointServer, httpEndpoint, pem, stopEndpoints } from './endpoint-servers.ts'

/** A short deadline, for tests of the deadline. */
const hastyMs = 300
export const hasty = { timeoutMs: hastyMs }

/** Long enough for loopback on a busy machine, and shorter than the timeout of a test. */
const patientMs = 10_000

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
export const hostName = 'hooks.example.com'
export const owner = 'business'
export const body = '{"id":"DLV-1","label":"Café ☕"}'
export const headers = { 'content-type': 'application/json', 'x-service-signature': 'sha256=00' }

export const loopback = async () => [{ address: '127.0.0.1', family: 4 }]
export const forever = <T>(): Promise<T> => new Promise<T>(() => {})

const senders: Sender[] = []
const timers: NodeJS.Timeout[] = []

export function sender(hosts: string[], options: Partial<SenderOptions>): Sender {
  const all = {
    timeoutMs: patientMs,
    maxSockets: 50,
    allowedHosts: new Set(hosts),
    blockedRanges: [],
    ...options,
  }
  const made = createSender(all)
  senders.push(made)
  return made
}

/** A sender that may connect to `endpoints` by address, with their URLs. */
export function reaching(
  endpointServers: EndpointServer[],
  options: Partial<SenderOptions>,
): { made: Sender; urls: string[] } {
  const hosts = endpointServers.map(({ port }) => `127.0.0.1:${port}`)
  return { made: sender(hosts, options), urls: hosts.map((host) => `http://${host}/hooks`) }
}

/** Makes one attempt at one endpoint. */
export async function attemptAt(
  endpointServer: EndpointServer,
  options: Partial<SenderOptions>,
): Promise<Attempt> {
  const { made, urls } = reaching([endpointServer], options)
  return made.send({ url: urls[0] ?? '', headers, body, owner })
}

export const attemptAtHttp = async (listener: RequestListener): Promise<Attempt> =>
  attemptAt(await httpEndpoint(listener), {})

/** Makes one attempt at `https://name:port`, which `resolve` maps to loopback. */
export function attemptOverTls(
  endpointServer: EndpointServer,
  options: Partial<SenderOptions>,
  name: string,
): Promise<Attempt> {
  const ca = { ca: pem('authority.pem') }
  const made = sender([`${name}:${endpointServer.port}`], { resolve: loopback, ...ca, ...options })
  return made.send({ url: `https://${name}:${endpointServer.port}/hooks`, headers, body, owner })
}

export const answering = (): Promise<EndpointServer> => httpEndpoint((_req, res) => res.end())

/** Fails like a resolver, with details that a merchant must not see. */
export const failing = (code: string) => () =>
  Promise.reject(Object.assign(new Error(`query ${code} 10.0.0.1`), { code }))

/** Two addresses, of which only the second has an endpoint. */
export const deafThenLoopback = async () => [
  { address: '::1', family: 6 },
  { address: '127.0.0.1', family: 4 },
]

/** A connection that fails the test if it is used. */
export const untouchable = {} as Connection

export const timersUnderWay = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

/** Writes `text` repeatedly as long as the socket accepts it. */
export function repeat(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(text)), everyMs)
  timers.push(timer)
}

export function flood(socket: Socket, text: string): void {
  if (socket.destroyed) return
  const more = socket.write(text)
  if (more) setImmediate(flood, socket, text)
  else socket.once('drain', () => flood(socket, text))
}

export function expectStage(attempt: Attempt, stage: string): void {
  expect(attempt).to.include({ outcome: 'unreachable', stage })
  expect(attempt)
    .to.have.property('reason')
    .that.matches(/^[A-Z][^\n]{10,100}\.$/)
  expect(attempt)
    .to.have.property('reason')
    .that.does.not.match(/\d+\.\d+\.\d+|node:|Error|undici/)
}

export function expectTimeout(attempt: Attempt): void {
  expectStage(attempt, 'timeout')
  expect(attempt.durationMs).to.be.within(hastyMs - 5, hastyMs + 2_000)
}

/** Stops all timers, endpoints and senders of a test. */
export async function stopAll(): Promise<void> {
  for (const timer of timers.splice(0)) clearInterval(timer)
  await stopEndpoints()
  await Promise.all(senders.splice(0).map((made) => made.close()))
}
