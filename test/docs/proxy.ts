import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../support/listen.ts'

interface Faults {
  loses?(count: number): boolean
  /** `request` is, for example, `GET /api/v1/dev/balance`. */
  change?(request: string, body: string): string
}

export async function startProxy(origin: string, { loses, change }: Faults) {
  let count = 0
  const forward = async (req: IncomingMessage, res: ServerResponse) => {
    const { url = '', method = '', headers } = req
    const isLost = loses?.(++count) ?? false
    const body = await text(req)
    const sent = ['authorization', 'content-type', 'x-idempotency-key'].map((name) => [name, headers[name]])
    const given = Object.fromEntries(sent.filter(([, value]) => value !== undefined))
    const response = await fetch(origin + url, { method, headers: given, body: body || null })
    const content = await response.text()
    if (isLost) res.destroy()
    else {
      res.writeHead(response.status, { 'Content-Type': response.headers.get('Content-Type') ?? '' })
      res.end(change?.(`${method} ${url}`, content) ?? content)
    }
  }
  const server = createServer((req, res) => void forward(req, res).catch((error) => res.destroy(error)))
  const { origin: ownOrigin, close } = await listen(server)
  return { origin: ownOrigin, close }
}
