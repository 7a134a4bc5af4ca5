import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { listen } from '../../support/listen.ts'

export type EndpointServers = Awaited<ReturnType<typeof startEndpointServers>>

export async function startEndpointServers() {
  const trapped: string[] = []
  const trap = createServer((socket) => {
    trapped.push(`${socket.remoteAddress} connected to ${socket.localAddress}`)
    socket.destroy()
  })
  await once(trap.listen(0), 'listening')
  const trapPort = (trap.address() as AddressInfo).port
  const allowed = createHttpServer((req, res) => {
    req.resume()
    if (req.url?.startsWith('/redirect')) res.writeHead(307, { Location: `http://127.0.0.1:${trapPort}/` })
    res.end('ok')
  })
  const { host: allowedHost, port: allowedPort, close } = await listen(allowed)
  return {
    /** For WEBHOOK_ALLOWED_HOSTS. `/hook` accepts, `/redirect` redirects to the trap. */
    allowedHost,
    allowedPort,
    trapPort,
    trapped,
    async close(): Promise<void> {
      trap.close()
      await close()
    },
  }
}
