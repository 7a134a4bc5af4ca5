import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Actions {
  loses: (count: number) => boolean
}

export async function startProxy(origin: string, { loses }: Actions) {
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
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
