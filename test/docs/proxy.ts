import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../support/listen.ts'

export async function startProxy(origin: string, { loses }: { loses: (count: number) => boolean }) {
  let count = 0
  const forward = async (req: IncomingMessage, res: ServerResponse) => {
    const { url = '', method = '', headers } = req
    const isLost = loses(++count)
    const body = await text(req)
    const sent = ['authorization', 'content-type', 'x-idempotency-key'].map((name) => [name, headers[name]])
    const given = Object.fromEntries(sent.filter(([, value]) => value !== undefined))
    const response = await fetch(origin + url, { method, headers: given, body: body || null })
    const content = await response.text()
    if (isLost) res.destroy()
    else res.writeHead(response.status, { 'Content-Type': 'application/json' }).end(content)
  }
  const server = createServer((req, res) => void forward(req, res).catch((error) => res.destroy(error)))
  const { origin: ownOrigin, close } = await listen(server)
  return { origin: ownOrigin, close }
}
