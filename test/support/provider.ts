import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './listen.ts'
import { type Kind, openBooks, payer, signatureOf } from './provider-books.ts'

export interface ProviderRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  kind: Kind
  key: string
}

type ProviderResponse = { status: number; body: Record<string, unknown> }

/** `work` executes the request and returns the response. A behaviour may ignore either. */
type Work = () => ProviderResponse
export type ProviderBehaviour = (res: ServerResponse, work: Work, request: ProviderRequest) => unknown
export type Provider = Awaited<ReturnType<typeof startProvider>>
export const send = (res: ServerResponse, { status, body }: ProviderResponse): unknown =>
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
export const asSpecified: ProviderBehaviour = (res, work) => send(res, work())
export const requestLost: ProviderBehaviour = (res) => res.destroy()
export const respondWith =
  (respond: (res: ServerResponse, request: ProviderRequest) => unknown): ProviderBehaviour =>
  (res, work, request) => {
    work()
    return respond(res, request)
  }
export const responseLost: ProviderBehaviour = respondWith((res) => res.destroy())
const skewMs = 300_000

/** Follows docs/operators/wallet-provider.md, independently of the service's own code, and can misbehave. */
export async function startProvider(basePath = '/wallet/v1') {
  const key = 'the-key-of-the-tests-32-characters'
  const requests: ProviderRequest[] = []
  const wallets = new Map([[payer.phone, { pin: payer.pin, balance: payer.balance }]])
  const books = openBooks(wallets)
  let now = () => new Date()
  let handleOrder: ProviderBehaviour = asSpecified
  let handleQuery: ProviderBehaviour = asSpecified
  function isSigned(request: ProviderRequest): boolean {
    const offMs = Math.abs(Number(request.headers['x-wallet-timestamp']) * 1000 - now().getTime())
    return request.headers['x-wallet-signature'] === signatureOf(key, request) && offMs <= skewMs
  }
  function work(request: ProviderRequest): ProviderResponse {
    if (!isSigned(request)) return { status: 401, body: {} }
    const order = request.method === 'GET' ? null : JSON.parse(request.body)
    if (order !== null && order.key !== request.key) return { status: 400, body: {} }
    const known = books.find(request.kind, request.key)
    const decision = order === null ? known : books.decide(request.kind, order, now().getTime())
    if (decision !== null) return { status: 200, body: { key: request.key, ...decision } }
    const [status, word] = order === null ? [404, 'unknown'] : [410, 'expired']
    return { status, body: { key: request.key, status: word } }
  }
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = await read(req, basePath)
    requests.push(request)
    await (request.method === 'POST' ? handleOrder : handleQuery)(res, () => work(request), request)
  }
  const server = createServer((req, res) => void receive(req, res))
  const { port, origin, close } = await listen(server)
  const url = `${origin}${basePath}`
  return {
    url,
    key,
    environment: { WALLET_PROVIDER_URL: url, WALLET_PROVIDER_KEY: key },
    requests,
    movements: books.movements,
    movedFor: (reference: string): number[] =>
      books.movements.filter((each) => each.reference === reference).map(({ amount }) => amount),
    wallets,
    setClock: (clock: () => Date) => void (now = clock),
    handleOrders: (behaviour: ProviderBehaviour) => void (handleOrder = behaviour),
    handleQueries: (behaviour: ProviderBehaviour) => void (handleQuery = behaviour),
    goDown: close,
    async comeUp(): Promise<void> {
      await listen(server, port)
    },
    close,
  }
}

async function read(req: IncomingMessage, basePath: string): Promise<ProviderRequest> {
  const { method = '', url: path = '', headers } = req
  const body = await text(req)
  const [, noun, key = String(headers['idempotency-key'])] = path.slice(basePath.length).split('/')
  return { method, path, headers, body, kind: noun === 'payments' ? 'payment' : 'refund', key }
}
