import { once } from 'node:events'
import { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

export async function listen(server: Server, wantedPort = 0) {
  await once(server.listen(wantedPort, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  /** Also closes connections, except a plain TCP server's. */
  const close = async (): Promise<void> => {
    if (server instanceof HttpServer) server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port, host, origin: `http://${host}`, close }
}
