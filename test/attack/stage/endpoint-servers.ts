import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'

/** Two endpoint servers: one that the service may reach, and a trap. */
export interface EndpointServers {
  /** host:port of the server in WEBHOOK_ALLOWED_HOSTS. `/hook` accepts, `/redirect` redirects to the trap. */
  allowedHost: string
  allowedPort: number
  /** Listens on every address of this machine. */
  trapPort: number
  /** The connections to the trap. */
  trapped: string[]
  close(): void
}

export async function startEndpointServers(): Promise<EndpointServers> {
  const trapped: string[] = []
  const trap = createServer((socket) => {
    trapped.push(`${socket.remoteAddress} connected to ${socket.localAddress}`)
    socket.destroy()
  })
  trap.listen(0)
  await once(trap, 'listening')
  const trapPort = (trap.address() as AddressInfo).port
  const allowed = createHttpServer((req, res) => {
    req.resume()
    if (req.url?.startsWith('/redirect')) res.writeHead(307, { Location: `http://127.0.0.1:${trapPort}/` })
    res.end('ok')
  })
  allowed.listen(0, '127.0.0.1')
  await once(allowed, 'listening')
  const allowedPort = (allowed.address() as AddressInfo).port
  return {
    allowedHost: `127.0.0.1:${allowedPort}`,
    allowedPort,
    trapPort,
    trapped,
    close() {
      trap.close()
      allowed.closeAllConnections()
      allowed.close()
    },
  }
}
