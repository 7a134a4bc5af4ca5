import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Kind, type Movement, openBooks, type ProviderResponse } from './provider-books.ts'

/** A request as it arrived at the provider. `body` is the exact text. */
export interface ProviderRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  kind: Kind
  key: string
}

/** How a request is met. `work` does what it asks for and says what to answer; a manner may do either, neither or both. */
export type ProviderBehaviour = (
  res: ServerResponse,
  work: () => ProviderResponse,
  asked: ProviderRequest,
) => unknown

/**
 * A wallet provider as docs/operators/wallet-provider.md asks for, on loopback, written apart from the service's own code. It keeps books,
 * checks signatures and times, and can be told to misbehave.
 */
export interface Provider {
  url: string
  key: string
  /** What a service needs to know of it. */
  environment: Record<string, string>
  requests: ProviderRequest[]
  movements: Movement[]
  /** By phone. */
  wallets: Map<string, { pin: string; balance: number }>
  setClock(now: () => Date): void
  /** From here on. */
  handleOrders(manner: ProviderBehaviour): void
  handleQueries(manner: ProviderBehaviour): void
  /** Connections are refused until it is up again. */
  goDown(): Promise<void>
  comeUp(): Promise<void>
  close(): Promise<void>
}

export const send = (res: ServerResponse, { status, body }: ProviderResponse): unknown =>
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

/** As the contract wants it. */
export const asSpecified: ProviderBehaviour = (res, work) => send(res, work())
/** The request is lost on its way. */
export const requestLost: ProviderBehaviour = (res) => res.destroy()
/** What it asks for is done, and then `answer` is all that is said of it. */
export const respondWith =
  (answer: (res: ServerResponse, asked: ProviderRequest) => unknown): ProviderBehaviour =>
  (res, work, asked) => {
    work()
    return answer(res, asked)
  }
/** It is done, and the answer is lost. */
export const responseLost: ProviderBehaviour = respondWith((res) => res.destroy())

/** How far the time of a signature may be off. */
const skewMs = 300_000

export async function startProvider(basePath = '/wallet/v1'): Promise<Provider> {
  const key = 'the-key-of-the-tests-32-characters'
  const asked: ProviderRequest[] = []
  const books = openBooks()
  let now = () => new Date()
  let meetOrder: ProviderBehaviour = asSpecified
  let meetQuestion: ProviderBehaviour = asSpecified

  function isSigned({ method, path, headers, body }: ProviderRequest): boolean {
    const timestamp = String(headers['x-wallet-timestamp'])
    const hmac = createHmac('sha256', key).update(`${timestamp}\n${method}\n${path}\n${body}`)
    const offMs = Math.abs(Number(timestamp) * 1000 - now().getTime())
    return headers['x-wallet-signature'] === `sha256=${hmac.digest('hex')}` && offMs <= skewMs
  }

  function work(request: ProviderRequest): ProviderResponse {
    if (!isSigned(request)) return { status: 401, body: {} }
    if (request.method === 'GET') return books.statusOf(request.kind, request.key)
    const order = JSON.parse(request.body)
    return order.key === request.key ? books.carryOut(request.kind, order, now()) : { status: 400, body: {} }
  }

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = await read(req, basePath)
    asked.push(request)
    const meet = request.method === 'POST' ? meetOrder : meetQuestion
    await meet(res, () => work(request), request)
  }

  const server = createServer((req, res) => void receive(req, res))
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}${basePath}`
  return {
    url,
    key,
    environment: { WALLET_PROVIDER_URL: url, WALLET_PROVIDER_KEY: key },
    requests: asked,
    movements: books.movements,
    wallets: books.wallets,
    setClock(clock) {
      now = clock
    },
    handleOrders(manner) {
      meetOrder = manner
    },
    handleQueries(manner) {
      meetQuestion = manner
    },
    goDown: stop,
    comeUp: () => listen(port),
    close: stop,
  }
}

async function read(req: IncomingMessage, basePath: string): Promise<ProviderRequest> {
  const { method = '', url: path = '', headers } = req
  const body = await text(req)
  const [, noun, key = String(headers['idempotency-key'])] = path.slice(basePath.length).split('/')
  return { method, path, headers, body, kind: noun === 'payments' ? 'payment' : 'refund', key }
}
