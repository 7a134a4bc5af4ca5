import { readFileSync } from 'node:fs'
import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'

export type EndpointServer = { port: number; connections: Socket[]; mostOpen: () => number }

const certificates = new URL('../support/certificates/', import.meta.url)
export const pem = (name: string): string => readFileSync(new URL(name, certificates), 'utf8')
const running = new Set<{ server: Server; connections: Socket[] }>()

async function listen(server: Server, host: string): Promise<EndpointServer> {
  const connections: Socket[] = []
  let open = 0
  let most = 0
  server.on('connection', (socket: Socket) => {
    connections.push(socket)
    most = Math.max(most, ++open)
    socket.on('close', () => open--)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  running.add({ server, connections })
  return { port: (server.address() as AddressInfo).port, connections, mostOpen: () => most }
}

export const httpEndpoint = (listener: RequestListener): Promise<EndpointServer> =>
  listen(http.createServer(listener), '127.0.0.1')

export const httpsEndpoint = (certificate: string, listener: RequestListener): Promise<EndpointServer> =>
  listen(
    https.createServer({ cert: pem(`${certificate}.pem`), key: pem(`${certificate}.key`) }, listener),
    '127.0.0.1',
  )

export const silentEndpoint = (): Promise<EndpointServer> => rawEndpoint((socket) => socket.resume())
export const rawEndpoint = (onConnection: (socket: Socket) => void): Promise<EndpointServer> =>
  listen(net.createServer(onConnection), '127.0.0.1')

/** Calls `onRequest` with the socket once for each complete request, however its bytes are split. */
export const rawHttpEndpoint = (onRequest: (socket: Socket, count: number) => void) =>
  rawEndpoint((socket) => {
    let text = ''
    let count = 0
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const [, length, rest] = /content-length: (\d+)\r\n(?:.+\r\n)*\r\n([^]*)$/i.exec(text) ?? []
      if (length === undefined || rest === undefined || rest.length < Number(length)) return
      text = rest.slice(Number(length))
      onRequest(socket, ++count)
    })
  })

export const closing = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())))

export async function stopEndpoints(): Promise<void> {
  for (const { server, connections } of running) {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of connections) socket.destroy()
    await closed
  }
  running.clear()
}
