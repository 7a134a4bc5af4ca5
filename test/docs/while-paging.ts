import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before a service for one program that reads pages, and has something happen before it gets its second one. */
export async function whilePaging(origin: string, happen: () => Promise<unknown>) {
  const passOn = async ({ url = '', headers }: IncomingMessage, res: ServerResponse) => {
    if (/[?&]page=2\b/.test(url)) await happen()
    const { authorization = '' } = headers
    const answer = await fetch(origin + url, { headers: { authorization } })
    res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text())
  }
  const server = createServer((req, res) => void passOn(req, res).catch((error) => res.destroy(error)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
