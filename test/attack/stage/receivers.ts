import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'

/** The endpoint servers: one that the service may reach, and a trap. */
export interface Receivers {
  /** host:port of the server in WEBHOOK_ALLOWED_HOSTS. `/hook` accepts, `/redirect` redirects to the trap. */
  honestHost: string
  honestPort: number
  /** Listens on every address of this machine. */
  trapPort: number
  /** The connections to the trap. */
  trapped: string[]
  close(): void
}

export async function startReceivers(): Promise<Receivers> {
  const trapped: string[] = []
  const trap = createServer((socket) => {
    trapped.push(`${socket.remoteAddress} came to ${socket.localAddress}`)
    socket.destroy()
  })
  trap.listen(0)
  await once(trap, 'listening')
  const trapPort = (trap.address() as AddressInfo).port
  const honest = createHttpServer((req, res) => {
    req.resume()
    const isRedirect = req.url?.startsWith('/redirect') === true
    res
      .writeHead(isRedirect ? 307 : 200, isRedirect ? { Location: `http://127.0.0.1:${trapPort}/` } : {})
      .end('ok')
  })
  honest.listen(0, '127.0.0.1')
  await once(honest, 'listening')
  const honestPort = (honest.address() as AddressInfo).port
  return {
    honestHost: `127.0.0.1:${honestPort}`,
    honestPort,
    trapPort,
    trapped,
    close() {
      trap.close()
      honest.closeAllConnections()
      honest.close()
    },
  }
}
